// SPDX-License-Identifier: MIT
//
// A second run takes the tokenised data of the first one and is the same run.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TokenCacheRunTest : public ProgramTest {
 protected:
  TokenCacheRunTest() {
    write_text_model("tiny", tiny_config(2));
    write_rows("five");
  }

  void write_rows(const std::string& last) const {
    write("data.csv",
          "text,label\none,a\ntwo two,b\nthree,b\nfour,a\n" + last + ",a\n");
  }

  /// What the run said; its loss is in `output`/metrics.jsonl.
  std::string train(const std::string& output, const std::string& cache) const {
    return run_well({"train", "--model", "tiny", "--train-data", "data.csv",
                     "--output-dir", output, "--max-steps", "3", "--seed", "4",
                     "--token-cache", cache})
        .standard_error;
  }

  std::vector<Json> steps(const std::string& output) const {
    std::vector<Json> records =
        read_json_lines(path(output + "/metrics.jsonl"));
    for (Json& record : records) record = without_measurements(record);
    return records;
  }
};

constexpr const char* kFromCache = "from the token cache";

TEST_F(TokenCacheRunTest, TheSecondRunIsTheFirstOneWithoutTokenising) {
  EXPECT_THAT(train("first", "shared"), Not(HasSubstr(kFromCache)));
  EXPECT_THAT(train("second", "shared"), HasSubstr(kFromCache));
  EXPECT_EQ(steps("first"), steps("second"));
  write_rows("changed");
  EXPECT_THAT(train("third", "shared"), Not(HasSubstr(kFromCache)));
}

TEST_F(TokenCacheRunTest, ItIsInTheOutputFolderUnlessChosenAndNeverBesideData) {
  train("own", "auto");
  EXPECT_FALSE(std::filesystem::is_empty(path("own/token_cache")));
  train("without", "none");
  EXPECT_FALSE(std::filesystem::exists(path("without/token_cache")));
  for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
    EXPECT_NE(entry.path().extension(), ".tokens") << entry.path();
  }
}

TEST_F(TokenCacheRunTest, ADamagedEntryIsMadeAgain) {
  train("first", "shared");
  for (const auto& entry :
       std::filesystem::directory_iterator(path("shared"))) {
    std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  }
  EXPECT_THAT(train("second", "shared"), HasSubstr("built anew"));
  EXPECT_EQ(steps("first"), steps("second"));
}

}  // namespace
}  // namespace longformer::test
