// SPDX-License-Identifier: MIT
//
// Reading a tensor costs its destination and little else, in allocations and
// in mapped pages, whatever the container.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/io/file_system.h"
#include "longformer/io/weight_file.h"

#include "io/allocation_counter.h"
#include "io/weight_builder.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kRows = 4096;
constexpr std::int64_t kColumns = 4096;
constexpr std::int64_t kBytes = kRows * kColumns * 4;

/// Bytes of files that are in this process's memory through mappings.
std::int64_t mapped_file_bytes() {
  std::istringstream status(read_file("/proc/self/status"));
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "RssFile:" && status >> kib) return kib * 1024;
  }
  return -1;
}

class WeightMemoryTest : public ::testing::Test {
 protected:
  /// Opens the file, reads its only tensor as float, and checks the cost.
  void expect_lean(const std::string& name) {
    const std::string path = (dir_ / name).string();
    std::vector<float> values(kRows * kColumns);
    // Once before, so that code and libraries are in memory.
    WeightFile::open(path);
    const std::int64_t mapped_before = mapped_file_bytes();
    const std::int64_t allocated_before = test::allocated_bytes();
    test::reset_peak_allocated_bytes();
    const auto file = WeightFile::open(path);
    EXPECT_LT(mapped_file_bytes() - mapped_before, 4 * kMiB);
    file->read_as_float(file->entries()[0], values);
    EXPECT_LT(test::peak_allocated_bytes() - allocated_before, 4 * kMiB);
    EXPECT_LT(mapped_file_bytes() - mapped_before, 4 * kMiB);
    EXPECT_EQ(values.at(kColumns + 1), 1.0F);
  }

  test::TempDir dir_;
};

std::string ones(std::int64_t bytes, std::string_view one) {
  std::string data;
  data.reserve(static_cast<std::size_t>(bytes));
  while (static_cast<std::int64_t>(data.size()) < bytes) data += one;
  return data;
}

const std::string kOneAsFloat("\0\0\x80\x3F", 4);

TEST_F(WeightMemoryTest, Safetensors) {
  dir_.write("f32", test::safetensors_bytes(
                        R"({"w":{"dtype":"F32","shape":[4096,4096],)"
                        R"("data_offsets":[0,67108864]}})",
                        ones(kBytes, kOneAsFloat)));
  expect_lean("f32");
}

TEST_F(WeightMemoryTest, HalfTypesAreWidenedInPlace) {
  dir_.write("bf16", test::safetensors_bytes(
                         R"({"w":{"dtype":"BF16","shape":[4096,4096],)"
                         R"("data_offsets":[0,33554432]}})",
                         ones(kBytes / 2, "\x80\x3F")));
  expect_lean("bf16");
}

TEST_F(WeightMemoryTest, TransposedViewsOfArchives) {
  for (const bool is_legacy : {false, true}) {
    const std::string pickle =
        test::state_dict_pickle("w", {.storage_size = kRows * kColumns,
                                      .shape = {kRows, kColumns},
                                      .strides = {1, kRows},
                                      .is_legacy = is_legacy});
    const std::string data = ones(kBytes, kOneAsFloat);
    dir_.write("t", is_legacy
                        ? test::torch_legacy(pickle, kRows * kColumns, data)
                        : test::torch_zip(pickle, data));
    expect_lean("t");
  }
}

}  // namespace
}  // namespace longformer
