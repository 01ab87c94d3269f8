// SPDX-License-Identifier: MIT
// Every config.json of the reference data: accepted or refused as it should.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/config/model_config.h"

#include "support/golden.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ModelConfig read(const fs::path& path, const ModelConfigRules& rules = {}) {
  return parse_model_config_text(test::read_file(path), path.string(), rules);
}

/// Reads config.json in every folder of `folder`; returns how many there were.
int read_all(const fs::path& folder) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path path = entry.path() / "config.json";
    if (!fs::exists(path)) continue;
    ++count;
    const ModelConfig config = read(path);
    EXPECT_GT(config.vocab_size, 0) << path;
    EXPECT_GT(config.num_labels(), 0) << path;
    EXPECT_EQ(static_cast<std::int64_t>(config.attention_window.size()),
              config.num_hidden_layers)
        << path;
    const Json written = to_json(config);
    EXPECT_EQ(to_json(parse_model_config(written, "written")), written) << path;
  }
  return count;
}

TEST(ModelConfigGoldenTest, EveryModelCaseIsRead) {
  EXPECT_EQ(read_all(test::golden_dir() / "model"), 37);
}

TEST(ModelConfigGoldenTest, EveryTrajectoryIsRead) {
  EXPECT_EQ(read_all(test::golden_dir() / "trajectory"), 4);
}

TEST(ModelConfigGoldenTest, EveryGoodCheckpointIsRead) {
  EXPECT_EQ(read_all(test::golden_dir() / "checkpoint" / "good"), 40);
}

// The other folders of bad/ are refused for their weights.
TEST(ModelConfigGoldenTest, CheckpointsAreRefusedExactlyForBadConfigs) {
  const fs::path folder = test::golden_dir() / "checkpoint";
  const Json table = Json::parse(test::read_file(folder / "table.json"));
  int refused = 0;
  for (const Json& row : table["rows"]) {
    const std::string path = row["path"];
    const fs::path file = folder / path / "config.json";
    if (!fs::exists(file)) continue;
    if (row.value("file", "") != "config.json") {
      EXPECT_NO_THROW(read(file)) << path;
      continue;
    }
    ++refused;
    try {
      read(file);
      ADD_FAILURE() << path << " was accepted";
    } catch (const ModelError& error) {
      for (const Json& words : row["message_must_name"]) {
        EXPECT_THAT(error.what(), HasSubstr(words.get<std::string>())) << path;
      }
    }
  }
  EXPECT_EQ(refused, 8);
}

TEST(ModelConfigGoldenTest, TheOriginalCodesConfigOpensWithTheFlag) {
  const ModelConfig config = read(test::golden_dir() / "checkpoint" / "bad" /
                                      "config_ai2_one_sided" / "config.json",
                                  {.one_sided_window = true});
  EXPECT_THAT(config.attention_window, testing::ElementsAre(4, 4));
}

}  // namespace
}  // namespace longformer
