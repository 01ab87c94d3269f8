// SPDX-License-Identifier: MIT
//
// A run that is continued with other options: what cannot change is named,
// with both values, before anything takes time.
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

class ResumeOptionsTest : public ProgramTest {
 protected:
  ResumeOptionsTest() {
    write_model("tiny", tiny_config());
    write_rows("train.jsonl", {"no", "yes"});
  }

  void write_rows(const std::string& name,
                  const std::vector<Json>& labels) const {
    write(name, toy_rows({9, 30, 5, 77, 12, 8}, labels));
  }

  /// A flag in `more` replaces ours.
  RunResult train(const std::vector<std::string>& more = {}) const {
    const std::vector<std::string> ours{
        "--model",      "tiny", "--train-data", "train.jsonl",
        "--output-dir", "run",  "--max-steps",  "2",
        "--threads",    "1",    "--pooling",    "mean",
        "--resume",     "auto"};
    std::vector<std::string> arguments{"train"};
    for (std::size_t i = 0; i < ours.size(); i += 2) {
      if (std::find(more.begin(), more.end(), ours[i]) != more.end()) continue;
      arguments.push_back(ours[i]);
      arguments.push_back(ours[i + 1]);
    }
    return run(with(arguments, more));
  }

  /// The run is refused before its data is read.
  void expect_early(const std::vector<std::string>& more,
                    const std::string& words) const {
    const RunResult result = train(more);
    EXPECT_EQ(result.exit_code, 2) << result.standard_error;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr(words), HasSubstr("new output_dir"),
                      Not(HasSubstr("training data:"))));
  }
};

TEST_F(ResumeOptionsTest, WhatCannotChangeIsNamedWithBothValues) {
  ASSERT_EQ(train().exit_code, 0);
  expect_early({"--pooling", "cls"},
               "pooling was mean in the run that is resumed and is cls now");
  expect_early({"--class-weights", "balanced"}, "class_weights was \"none\"");
  expect_early({"--max-length", "50"}, "max_length was 0");
  ModelConfig wider = tiny_config();
  wider.intermediate_size = 96;
  write_model("wider", wider);
  expect_early({"--model", "wider"},
               "model: describes another model: intermediate_size was 64");
}

TEST_F(ResumeOptionsTest, TheSameValueInOtherWordsIsNoChange) {
  ASSERT_EQ(train().exit_code, 0);
  const auto length = std::to_string(tiny_config().usable_length());
  const RunResult result = train({"--max-length", length});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
}

TEST_F(ResumeOptionsTest, OtherDataIsNamedAsSuch) {
  ASSERT_EQ(train().exit_code, 0);
  write("train.jsonl", toy_rows({9, 30, 5, 77}, {"no", "yes"}, 9));
  const RunResult content = train();
  EXPECT_EQ(content.exit_code, 2) << content.standard_error;
  EXPECT_THAT(content.standard_error,
              AllOf(HasSubstr("train_data: the training data or its "),
                    Not(HasSubstr("train_data was"))));
  write("other.jsonl", toy_rows({9, 30, 5, 77}, {"no", "yes"}, 9));
  const RunResult file = train({"--train-data", "other.jsonl"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.standard_error, HasSubstr("(train_data was"));
}

TEST_F(ResumeOptionsTest, OtherLabelsAreNamed) {
  ASSERT_EQ(train().exit_code, 0);
  write_rows("three.jsonl", {"no", "yes", "maybe"});
  const RunResult result = train({"--train-data", "three.jsonl"});
  EXPECT_EQ(result.exit_code, 2) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              HasSubstr("labels was [\"no\",\"yes\"] in the run that is "
                        "resumed and is [\"maybe\",\"no\",\"yes\"] now"));
}

}  // namespace
}  // namespace longformer::test
