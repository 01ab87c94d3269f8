// SPDX-License-Identifier: MIT
//
// Damaged copies of every kind of weight file: a clear error or a result, and
// never a crash, a hang or much memory. Most useful under the sanitizers.
#include <algorithm>
#include <cctype>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/random.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"

#include "io/allocation_counter.h"
#include "io/mutator.h"
#include "support/golden.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::HasSubstr;

constexpr int kNumCopies = 300;

/// As a new file: some systems write replaced ones to disk at once.
void replace_file(const test::TempDir& dir, const std::string& name,
                  const std::string& content) {
  remove_tree((dir / name).string());
  dir.write(name, content);
}

/// Everything in a model's files.
std::map<std::string, std::string> read_all(const std::string& path) {
  std::map<std::string, std::string> tensors;
  const ModelFiles files = ModelFiles::open(path);
  for (const ModelFiles::Tensor& tensor : files.tensors()) {
    std::string bytes(static_cast<std::size_t>(tensor.entry->num_bytes), '\0');
    tensor.read(std::as_writable_bytes(std::span(bytes)));
    tensors[tensor.name() + shape_text(tensor.entry->shape) +
            std::string(dtype_name(tensor.entry->dtype))] = std::move(bytes);
  }
  return tensors;
}

struct Kind {
  const char* folder;
  const char* file;
  /// Checksums cover names, shapes and data: what is accepted is unchanged.
  bool is_checked;
};

/// Without this, the bytes of the object would be part of the test's name.
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.file; }

class WeightMutationTest : public ::testing::TestWithParam<Kind> {};

TEST_P(WeightMutationTest, DamagedCopiesGiveAnErrorOrAResult) {
  const Kind& kind = GetParam();
  const std::string source =
      (test::golden_dir() / "checkpoint/good" / kind.folder).string();
  const test::TempDir dir;
  for (const DirectoryEntry& entry : list_directory(source)) {
    dir.write(entry.name, read_file(join_path(source, entry.name)));
  }
  const std::string content = read_file(join_path(source, kind.file));
  const auto original = read_all(source);
  int num_refused = 0;
  for (std::uint64_t seed = 0; seed < kNumCopies; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string damaged = test::Mutator(seed).mutate(content);
    replace_file(dir, kind.file, damaged);
    const std::clock_t start = std::clock();
    const std::int64_t before = test::allocated_bytes();
    test::reset_peak_allocated_bytes();
    try {
      const auto found = read_all(dir.path().string());
      EXPECT_TRUE(!kind.is_checked || found == original);
    } catch (const ModelError& error) {
      ++num_refused;
      // An index also makes the shards wrong that it names.
      EXPECT_THAT(error.what(), HasSubstr(dir.path().string()));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_LT(std::string(error.what()).size(), 2000U);
    }
    const std::int64_t used = test::peak_allocated_bytes() - before;
    EXPECT_LT(used, 4 * static_cast<std::int64_t>(damaged.size()) +
                        (std::int64_t{64} << 20));
    // Processor time: other tests may be running.
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
  }
  EXPECT_GT(num_refused, kNumCopies / 3);
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, WeightMutationTest,
    ::testing::Values(
        Kind{"st_shuffled_data", "model.safetensors", false},
        Kind{"st_bf16", "model.safetensors", false},
        Kind{"sharded_st", "model.safetensors.index.json", false},
        Kind{"sharded_st", "model-00002-of-00003.safetensors", false},
        Kind{"bin_zip", "pytorch_model.bin", true},
        Kind{"bin_one_storage", "pytorch_model.bin", true},
        Kind{"bin_transposed_views", "pytorch_model.bin", true},
        Kind{"bin_protocol4", "pytorch_model.bin", true},
        Kind{"bin_big_endian", "pytorch_model.bin", true},
        Kind{"bin_legacy", "pytorch_model.bin", false},
        Kind{"bin_legacy_protocol4", "pytorch_model.bin", false},
        Kind{"bin_legacy_one_storage", "pytorch_model.bin", false},
        Kind{"sharded_bin", "pytorch_model-00001-of-00002.bin", true}),
    [](const auto& instance) {
      std::string name = instance.param.folder;
      name += "_";
      name += instance.param.file;
      std::replace_if(
          name.begin(), name.end(),
          [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) == 0;
          },
          '_');
      return name;
    });

/// The pickle inside a zip is protected by a checksum, so that damage to the
/// archive never reaches the pickle reader; here it does.
TEST(PickleMutationTest, DamagedPicklesGiveAnErrorOrAResult) {
  const std::string source =
      (test::golden_dir() / "checkpoint/good/bin_legacy/pytorch_model.bin")
          .string();
  const std::string content = read_file(source);
  const test::TempDir dir;
  RandomStream random({3, 4}, 5);
  int num_refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = content;
    // The third to fifth pickle, without the storages behind them.
    for (std::uint64_t j = 1 + random.next_below(4); j > 0; --j) {
      damaged[21 + random.next_below(11800)] =
          random.next_below(2) == 0
              ? static_cast<char>(random.next_u32())
              : "()R.Qbtse\x85\x86h]}u\x80N"[random.next_below(18)];
    }
    replace_file(dir, "m.bin", damaged);
    try {
      read_all((dir / "m.bin").string());
    } catch (const ModelError&) {
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 500);
}

}  // namespace
}  // namespace longformer
