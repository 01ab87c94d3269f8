// SPDX-License-Identifier: MIT
//
// Weight files against those who defined them: the safetensors package and
// torch.save, in the environment that scripts/setup.sh --tests makes.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/file_system.h"
#include "longformer/io/safetensors_writer.h"
#include "longformer/io/weight_file.h"

#include "io/mutator.h"
#include "io/weight_builder.h"
#include "support/paths.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using test::Mutator;
using ::testing::HasSubstr;

/// One JSON object for each file.
std::vector<Json> run_peer(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   (test::source_dir() / "tests/io/weight_peer.py").string());
  const auto result = test::run_program(test::peer_python(), arguments);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  std::vector<Json> objects;
  std::istringstream lines(result.standard_output);
  for (std::string line; std::getline(lines, line);) {
    objects.push_back(parse_strict_json(line));
  }
  return objects;
}

/// Our view of a file, in the form of weight_peer.py.
Json describe_file(const std::string& path) {
  Json result = {{"path", path}};
  try {
    const auto file = WeightFile::open(path);
    Json tensors = Json::object();
    for (const WeightEntry& entry : file->entries()) {
      std::string bytes(static_cast<std::size_t>(entry.num_bytes), '\0');
      file->read(entry, std::as_writable_bytes(std::span(bytes)));
      const auto crc = ::crc32_z(
          0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
      tensors[entry.name] = {dtype_name(entry.dtype), entry.shape, crc};
    }
    result["tensors"] = tensors;
  } catch (const ModelError& error) {
    result["refused"] = error.what();
  }
  return result;
}

/// A right file of random tensors, as different writers write it.
std::string random_safetensors(RandomStream& random) {
  std::vector<std::string> entries;
  if (random.next_below(2) == 0) {
    entries.emplace_back(R"("__metadata__":{"format":"pt"})");
  }
  std::int64_t offset = 0;
  for (std::uint64_t i = random.next_below(5); i > 0; --i) {
    const auto dtype = static_cast<DType>(random.next_below(22));
    std::string shape = "8";
    std::int64_t count = 8;
    for (std::uint64_t j = random.next_below(3); j > 0; --j) {
      const auto dimension = static_cast<std::int64_t>(random.next_below(5));
      shape += "," + std::to_string(dimension);
      count *= dimension;
    }
    const std::int64_t end = offset + *dtype_bytes(dtype, count);
    entries.push_back("\"t\\u00e9." + std::to_string(i) + "\":{\"dtype\":\"" +
                      std::string(dtype_name(dtype)) + "\",\"shape\":[" +
                      shape + "],\"data_offsets\":[" + std::to_string(offset) +
                      "," + std::to_string(end) + "]}");
    offset = end;
  }
  std::string header = "{";
  for (const std::string& entry : entries) {
    header += (header.size() > 1 ? "," : "") + entry;
  }
  header += "}" + std::string(random.next_below(8), ' ');
  std::string data(static_cast<std::size_t>(offset), '\0');
  for (char& byte : data) byte = static_cast<char>(random.next_u32());
  return test::safetensors_bytes(header, data);
}

TEST(WeightPeerTest, SafetensorsFilesGetTheVerdictOfTheirPackage) {
  const test::TempDir dir;
  RandomStream random({7, 8}, 9);
  std::vector<std::string> arguments = {"describe"};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    std::string content = random_safetensors(random);
    if (i % 2 == 1) content = Mutator(i).mutate(content);
    arguments.push_back(
        dir.write(std::to_string(i) + ".safetensors", content).string());
  }
  const std::vector<Json> expected = run_peer(arguments);
  ASSERT_EQ(expected.size(), 2000U);
  int num_accepted = 0;
  for (const Json& peer : expected) {
    const Json ours = describe_file(peer["path"].get<std::string>());
    if (!peer.contains("tensors")) {
      EXPECT_TRUE(ours.contains("refused")) << peer << ours;
      continue;
    }
    ++num_accepted;
    // Where we are stricter: a header that does not start with {, a name
    // twice, dimensions beyond 63 bits, more than 64 dimensions.
    EXPECT_EQ(nlohmann::json(ours), nlohmann::json(peer));
  }
  EXPECT_GT(num_accepted, 1000);
  EXPECT_LT(num_accepted, 1900);
}

TEST(WeightPeerTest, TheirPackageReadsWhatWeWrite) {
  const test::TempDir dir;
  std::vector<TensorSource> sources;
  const std::string data(48, '\x3C');
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    const auto dtype = static_cast<DType>(i);
    sources.push_back(tensor_source("t\n\xC3\xA9" + std::to_string(i), dtype,
                                    {384 / dtype_bits(dtype)},
                                    std::as_bytes(std::span(data))));
  }
  const std::string path = (dir / "m.safetensors").string();
  write_safetensors(path, sources);
  const std::vector<Json> peer = run_peer({"describe", path});
  ASSERT_EQ(peer.size(), 1U);
  EXPECT_EQ(nlohmann::json(peer[0]), nlohmann::json(describe_file(path)));
}

TEST(WeightPeerTest, ReadsWhatTorchSaves) {
  const test::TempDir dir;
  const std::vector<Json> expected =
      run_peer({"save", dir.path().string(), "1", "300"});
  ASSERT_EQ(expected.size(), 300U);
  std::set<WeightFormat> formats;
  for (const Json& peer : expected) {
    const auto path = peer["path"].get<std::string>();
    EXPECT_EQ(nlohmann::json(describe_file(path)), nlohmann::json(peer));
    formats.insert(WeightFile::open(path)->format());
  }
  EXPECT_EQ(formats.size(), 2U);
}

}  // namespace
}  // namespace longformer
