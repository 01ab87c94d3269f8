// SPDX-License-Identifier: MIT
#include "longformer/io/safetensors_writer.h"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/io/weight_file.h"

#include "io/weight_builder.h"
#include "support/golden.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sources over the tensors of a file, which must stay open.
std::vector<TensorSource> sources_of(const WeightFile& file) {
  std::vector<TensorSource> sources;
  for (const WeightEntry& entry : file.entries()) {
    sources.push_back({entry.name, entry.dtype, entry.shape,
                       [&file, &entry](const ByteSink& sink) {
                         std::vector<std::byte> bytes(
                             static_cast<std::size_t>(entry.num_bytes));
                         file.read(entry, bytes);
                         sink(bytes);
                       }});
  }
  return sources;
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class SafetensorsWriterTest : public ::testing::Test {
 protected:
  std::string path(std::string_view name) { return (dir_ / name).string(); }
  test::TempDir dir_;
};

TEST_F(SafetensorsWriterTest, WritesTheSameBytesAsTheLibrary) {
  // base/model.safetensors was written by the safetensors package.
  const std::string original =
      (test::golden_dir() / "checkpoint/base/model.safetensors").string();
  const auto file = WeightFile::open(original);
  const FileDigest written =
      write_safetensors(path("copy.safetensors"), sources_of(*file));
  EXPECT_EQ(read_file(path("copy.safetensors")), read_file(original));
  EXPECT_EQ(written.digest, digest_file(original).digest);
}

TEST_F(SafetensorsWriterTest, SortsByDtypeThenNameAndPadsTheHeader) {
  const std::string data(8, 'x');
  std::vector<TensorSource> sources = {
      tensor_source("b", DType::kF16, {4}, as_bytes(data)),
      tensor_source("z", DType::kI64, {}, as_bytes(data)),
      tensor_source("a", DType::kF16, {2, 2}, as_bytes(data)),
      tensor_source("empty", DType::kF32, {0, 3}, {}),
  };
  write_safetensors(path("m.safetensors"), sources);
  const std::string content = read_file(path("m.safetensors"));
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, content.data(), sizeof(header_size));
  EXPECT_EQ(header_size % 8, 0U);
  const auto file = WeightFile::open(path("m.safetensors"));
  std::vector<std::string> names;
  for (const WeightEntry& entry : file->entries()) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("z", "empty", "a", "b"));
  EXPECT_THAT(content, HasSubstr(R"("__metadata__":{"format":"pt"})"));
}

TEST_F(SafetensorsWriterTest, RoundTripsEveryDtypeAndOddNames) {
  const std::string data(48, '\x5A');
  std::vector<TensorSource> sources;
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    const auto dtype = static_cast<DType>(i);
    sources.push_back(tensor_source("\"\\\n\x01\xC3\xA9 " + std::to_string(i),
                                    dtype, {384 / dtype_bits(dtype)},
                                    as_bytes(data)));
  }
  write_safetensors(path("m.safetensors"), sources);
  const auto file = WeightFile::open(path("m.safetensors"));
  ASSERT_EQ(file->entries().size(), sources.size());
  for (const TensorSource& source : sources) {
    const WeightEntry* entry = file->find(source.name);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->dtype, source.dtype);
    std::string bytes(48, '\0');
    file->read(*entry, std::as_writable_bytes(std::span(bytes)));
    EXPECT_EQ(bytes, data);
  }
}

TEST_F(SafetensorsWriterTest, TheOrderOfSourcesDoesNotMatter) {
  const std::string data(4, 'x');
  const TensorSource a = tensor_source("a", DType::kF32, {1}, as_bytes(data));
  const TensorSource b = tensor_source("b", DType::kF32, {1}, as_bytes(data));
  write_safetensors(path("1"), {a, b});
  write_safetensors(path("2"), {b, a});
  EXPECT_EQ(read_file(path("1")), read_file(path("2")));
}

TEST_F(SafetensorsWriterTest, WrongSourcesLeaveTheOldFileAlone) {
  const std::string data(4, 'x');
  const TensorSource a = tensor_source("a", DType::kF32, {1}, as_bytes(data));
  const TensorSource wrong =
      tensor_source("b", DType::kF32, {2}, as_bytes(data));
  write_file_atomically(path("m"), "old");
  EXPECT_THROW(write_safetensors(path("m"), {a, wrong}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path("m"), {a, a}), std::invalid_argument);
  EXPECT_THROW(
      write_safetensors(path("m"), {tensor_source("__metadata__", DType::kF32,
                                                  {1}, as_bytes(data))}),
      ModelError);
  EXPECT_EQ(read_file(path("m")), "old");
  EXPECT_EQ(list_directory(dir_.path().string()).size(), 1U);
}

TEST_F(SafetensorsWriterTest, SplitsIntoShardsWithAnIndex) {
  const std::string original =
      (test::golden_dir() / "checkpoint/base/model.safetensors").string();
  const auto file = WeightFile::open(original);
  const auto written =
      write_model_weights(dir_.path().string(), sources_of(*file), 10000);
  ASSERT_EQ(written.size(), 4U);
  const std::string index_path = path("model.safetensors.index.json");
  EXPECT_EQ(written.back().path, index_path);
  EXPECT_TRUE(exists(path("model-00001-of-00003.safetensors")));
  const Json index = parse_strict_json(read_file(index_path));
  EXPECT_EQ(index["metadata"]["total_size"], file->total_bytes());
  EXPECT_EQ(index["weight_map"].size(), file->entries().size());

  const ModelFiles shards = ModelFiles::open(dir_.path().string());
  ASSERT_EQ(shards.tensors().size(), file->entries().size());
  for (const WeightEntry& entry : file->entries()) {
    const ModelFiles::Tensor* tensor = shards.find(entry.name);
    ASSERT_NE(tensor, nullptr);
    EXPECT_LE(tensor->file->total_bytes(), 10000);
    std::vector<std::byte> expected(static_cast<std::size_t>(entry.num_bytes));
    std::vector<std::byte> found(expected.size());
    file->read(entry, expected);
    tensor->read(found);
    EXPECT_EQ(found, expected);
  }
}

TEST_F(SafetensorsWriterTest, OneShardNeedsNoIndex) {
  const std::string data(400, 'x');
  // A tensor larger than a shard gets its own.
  const std::vector<TensorSource> sources = {
      tensor_source("a", DType::kF32, {100}, as_bytes(data))};
  write_model_weights(dir_.path().string(), sources, 100);
  EXPECT_TRUE(exists(path("model.safetensors")));
  EXPECT_FALSE(exists(path("model.safetensors.index.json")));
}

}  // namespace
}  // namespace longformer
