// SPDX-License-Identifier: MIT
#include "longformer/train/checkpoint_manifest.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/random.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/file_system.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using testing::HasSubstr;

class CheckpointManifestTest : public testing::Test {
 protected:
  CheckpointManifestTest() {
    folder_.write("a.bin", "content of a");
    folder_.write("sub/b.bin", "");
    write_manifest(directory(), 12);
  }

  std::string directory() const { return folder_.path().string(); }
  std::string manifest() const {
    return test::read_file(folder_ / kManifestName);
  }
  /// What is wrong once the manifest holds `text`.
  std::string problem_with(const std::string& text) {
    folder_.write(kManifestName, text);
    return problem_of_checkpoint(directory()).value_or("");
  }
  /// The manifest with one member changed.
  std::string changed(const std::string& pointer, const Json& value) const {
    Json json = parse_strict_json(manifest());
    json[Json::json_pointer(pointer)] = value;
    return json.dump();
  }

  test::TempDir folder_;
};

TEST_F(CheckpointManifestTest, ListsEveryFileWithSizeAndDigest) {
  const Json json = parse_strict_json(manifest());
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["path"], "a.bin");
  EXPECT_EQ(json["files"][0]["bytes"], 12);
  EXPECT_EQ(json["files"][1]["path"], "sub/b.bin");
  EXPECT_EQ(json["step"], 12);
  EXPECT_EQ(step_of_checkpoint(directory()), 12);
  EXPECT_FALSE(problem_of_checkpoint(directory()));
}

TEST_F(CheckpointManifestTest, SizesAloneDoNotShowAFlippedBit) {
  folder_.write("a.bin", "content of b");
  EXPECT_FALSE(problem_of_checkpoint(directory(), ManifestCheck::kSizes));
  EXPECT_TRUE(problem_of_checkpoint(directory(), ManifestCheck::kDigests));
}

TEST_F(CheckpointManifestTest, FilesThatAreNotListedAreIgnored) {
  folder_.write(".nfs0001", "left by the file system");
  EXPECT_FALSE(problem_of_checkpoint(directory()));
}

TEST_F(CheckpointManifestTest, AFileThatBecameADirectoryIsAProblem) {
  remove_tree(join_path(directory(), "a.bin"));
  create_directories(join_path(directory(), "a.bin"));
  EXPECT_TRUE(problem_of_checkpoint(directory()));
}

TEST_F(CheckpointManifestTest, MalformedManifestsAreExplained) {
  const std::string whole = manifest();
  EXPECT_THAT(problem_with(""), HasSubstr("manifest.json"));
  EXPECT_THAT(problem_with("[]"), HasSubstr("format"));
  EXPECT_THAT(problem_with("3"), HasSubstr("format"));
  EXPECT_THAT(problem_with(whole.substr(0, whole.size() / 2)),
              HasSubstr("line"));
  folder_.write(kManifestName, whole);
  EXPECT_THAT(problem_with(changed("/version", 2)), HasSubstr("version 2"));
  folder_.write(kManifestName, whole);
  EXPECT_THAT(problem_with(changed("/format", "x")),
              HasSubstr("not that of a checkpoint"));
  folder_.write(kManifestName, whole);
  EXPECT_THAT(problem_with(changed("/files", Json::array())),
              HasSubstr("lists no file"));
}

TEST_F(CheckpointManifestTest, ValuesOutOfRangeAreExplained) {
  const std::string whole = manifest();
  for (const Json& step : {Json(-1), Json(1.5), Json("12"), Json(nullptr),
                           Json(18446744073709551615ULL)}) {
    folder_.write(kManifestName, whole);
    EXPECT_THAT(problem_with(changed("/step", step)), HasSubstr("step"));
  }
  folder_.write(kManifestName, whole);
  EXPECT_THAT(problem_with(changed("/files/0/bytes", 1e300)),
              HasSubstr("bytes"));
}

TEST_F(CheckpointManifestTest, PathsThatLeaveTheDirectoryAreRefused) {
  const std::string whole = manifest();
  for (const char* path :
       {"/etc/passwd", "../a.bin", "sub/../../a.bin", "..", ""}) {
    folder_.write(kManifestName, whole);
    EXPECT_THAT(problem_with(changed("/files/0/path", path)),
                HasSubstr("not inside"))
        << path;
  }
}

TEST_F(CheckpointManifestTest, NothingAtTheManifestsPlaceMakesItThrow) {
  RandomStream random(random_key(5, RandomPurpose::kShuffle, 0), 0);
  const std::string whole = manifest();
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes = whole;
    bytes[random.next_below(bytes.size())] =
        static_cast<char>(random.next_below(256));
    if (trial % 3 == 0) bytes.resize(random.next_below(bytes.size()));
    folder_.write(kManifestName, bytes);
    EXPECT_NO_THROW(problem_of_checkpoint(directory())) << bytes;
  }
}

TEST_F(CheckpointManifestTest, TheStepOfAnIncompleteCheckpointIsAnError) {
  remove_tree(join_path(directory(), kManifestName));
  EXPECT_THROW(step_of_checkpoint(directory()), ModelError);
  EXPECT_THROW(step_of_checkpoint(directory() + "/nowhere"), ModelError);
}

}  // namespace
}  // namespace longformer
