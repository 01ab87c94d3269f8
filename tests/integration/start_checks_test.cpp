// SPDX-License-Identifier: MIT
//
// What can be known before the training data is read is said before, and all
// of it at once.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StartChecksTest : public ProgramTest {
 protected:
  StartChecksTest() {
    write_model("tiny", no_yes_config());
    write("train.jsonl", toy_rows({9, 30, 5, 77, 12, 8}, {"no", "yes"}));
  }

  RunResult train(const std::vector<std::string>& more) const {
    return run(with({"train", "--train-data", "train.jsonl", "--output-dir",
                     "run", "--max-steps", "2", "--threads", "1"},
                    more));
  }
  RunResult train_tiny(const std::vector<std::string>& more) const {
    return train(with({"--model", "tiny"}, more));
  }

  void expect(const RunResult& result, int code,
              const std::string& words) const {
    EXPECT_EQ(result.exit_code, code) << result.standard_error;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr(words), Not(HasSubstr("training data:"))));
  }
};

TEST_F(StartChecksTest, MissingFilesAndMetricsAreAllNamedBeforeDataIsRead) {
  const RunResult result =
      train_tiny({"--validation-data", "v.jsonl", "--test-data", "t*.csv",
                  "--best-metric", "f1_makro", "--resume", "nowhere"});
  expect(result, 2, "4 problems with the options");
  for (const char* words :
       {"best_metric: there is no metric \"f1_makro\"; did you mean f1_macro",
        "validation_data: v.jsonl: there is no such file",
        "test_data: t*.csv: no file matches",
        "resume: nowhere: is not a complete checkpoint"}) {
    EXPECT_THAT(result.standard_error, HasSubstr(words));
  }
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(StartChecksTest, EachKindHasItsExitCode) {
  expect(train_tiny({"--validation-data", "v.jsonl"}), 3, "v.jsonl");
  expect(train_tiny({"--resume", "nowhere"}), 4, "resume: nowhere");
  expect(
      train_tiny({"--validation-data", "train.jsonl", "--best-metric", "rmse"}),
      2, "single_label_classification has no metric");
}

TEST_F(StartChecksTest, AnArchitectureIsAFileThatCanBeRead) {
  expect(train({"--architecture", "tiny"}), 2, "give its config.json");
  expect(train({"--architecture", "none.json"}), 2, "no such file");
  write("broken.json", "{\"hidden_size\": 3");
  expect(train({"--architecture", "broken.json"}), 2, "broken.json");
}

TEST_F(StartChecksTest, AModelIsADirectory) {
  expect(train({"--model", "tiny/model.safetensors"}), 4,
         "is a file; give the folder that it lies in");
  expect(train({"--model", "nowhere"}), 4, "there is no such directory");
}

TEST_F(StartChecksTest, DataThatIsTrainedOnIsKnownUnderAnyName) {
  std::filesystem::create_symlink("train.jsonl", path("link.jsonl"));
  const RunResult result = train_tiny(
      {"--validation-data", "./train.jsonl", "--test-data", "link.jsonl"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("train_data and validation_data share a file"),
                    HasSubstr("train_data and test_data share a file")));
}

TEST_F(StartChecksTest, ADamagedRunIsNotStartedAnew) {
  ASSERT_EQ(train_tiny({"--keep-checkpoints", "1"}).exit_code, 0);
  write("run/checkpoints/step-000002/training_state.json", "{}");
  const std::string before = read_file(path("run/metrics.jsonl"));
  expect(train_tiny({"--resume", "auto"}), 4, "the only checkpoint is damaged");
  EXPECT_EQ(read_file(path("run/metrics.jsonl")), before);
}

}  // namespace
}  // namespace longformer::test
