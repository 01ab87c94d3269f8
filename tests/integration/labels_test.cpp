// SPDX-License-Identifier: MIT
//
// Labels of any spelling train and come back as they were written; a model's
// head is used whole and for its own labels, or not at all.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../model/golden_case.h"
#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A CSV file cannot hold input_ids, so these tests have a tokenizer.
std::string csv_with_labels(const std::vector<std::string>& labels,
                            std::size_t rows) {
  std::string text = "text,label\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string& label = labels[i % labels.size()];
    text += "document of " + label + "," + label + "\n";
  }
  return text;
}

class LabelsTest : public ProgramTest {
 protected:
  RunResult train(const std::string& model, const std::string& data,
                  const std::string& output,
                  const std::vector<std::string>& more = {}) const {
    return run(
        with({"train", "--model", model, "--train-data", data, "--output-dir",
              output, "--epochs", "1", "--batch-size", "4", "--threads", "1"},
             more));
  }
  std::vector<Json> predict(const std::string& model,
                            const std::string& data) const {
    const RunResult result = run_well(
        {"predict", "--model", model, "--data", data, "--output", "-"});
    return parse_json_lines(result.standard_output);
  }
  /// A model whose outputs have names.
  std::string write_named_model(const std::string& name,
                                const std::vector<std::string>& labels) const {
    ModelConfig config = tiny_config();
    config.labels = labels;
    return write_model(name, config);
  }
};

// pytorch issue 1204: labels 1..N gave an assertion on the device.
TEST_F(LabelsTest, ClassesOfAnyNumbersTrainAndComeBackAsTheyWere) {
  write_text_model("tiny", tiny_config(2));
  const std::vector<std::vector<std::string>> sets{
      {"1", "2", "3"}, {"0", "2", "7"}, {"-1", "1"}};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string data = write("data.csv", csv_with_labels(sets[i], 12));
    const std::string output = "run" + std::to_string(i);
    const RunResult result =
        train("tiny", data, output, {"--reinit-head", "true"});
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    const auto answers = predict(output + "/model", data);
    ASSERT_EQ(answers.size(), 12U);
    for (const Json& answer : answers) {
      EXPECT_THAT(sets[i], ::testing::Contains(
                               answer.at("label").is_string()
                                   ? answer.at("label").get<std::string>()
                                   : answer.at("label").dump()));
      EXPECT_EQ(answer.at("probabilities").size(), sets[i].size());
      for (const std::string& name : sets[i]) {
        EXPECT_TRUE(answer.at("probabilities").contains(name));
      }
    }
  }
}

TEST_F(LabelsTest, IntegersOfJsonComeBackAsIntegers) {
  write_model("tiny", tiny_config(3));
  const std::string data =
      write("data.jsonl", toy_rows({9, 8, 7, 6, 5, 12}, {-4, 3, 12}));
  ASSERT_EQ(train("tiny", data, "run", {"--reinit-head", "true"}).exit_code, 0);
  for (const Json& answer : predict("run/model", data)) {
    EXPECT_TRUE(answer.at("label").is_number_integer());
    EXPECT_TRUE(answer.at("probabilities").contains("-4"));
  }
}

TEST_F(LabelsTest, MoreClassesThanLabelsWereGivenIsRefusedByRow) {
  write_text_model("tiny", tiny_config(2));
  const std::string data =
      write("data.csv", csv_with_labels({"a", "b", "c"}, 12));
  const RunResult result =
      train("tiny", data, "run", {"--labels", "a", "--labels", "b"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("data.csv:4"), HasSubstr("\"c\"")));
}

TEST_F(LabelsTest, AMistypedLabelIsRefusedByFileRowAndValueBeforeTraining) {
  write_text_model("tiny", tiny_config(2));
  std::string rows = csv_with_labels({"3", "33"}, 30);
  // Row 17 stands in line 18.
  std::size_t at = 0;
  for (int line = 1; line < 18; ++line) at = rows.find('\n', at) + 1;
  const std::size_t end = rows.find('\n', at);
  rows.replace(at, end - at, "document of 33,333");
  const std::string data = write("data.csv", rows);
  const RunResult result =
      train("tiny", data, "run", {"--labels", "3", "--labels", "33"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("data.csv:18"), HasSubstr("333")));
  EXPECT_FALSE(std::filesystem::exists(path("run/metrics.jsonl")));
}

// transformers issue 14218: a head of three labels on a task of two.
TEST_F(LabelsTest, AHeadForOtherLabelsIsRefusedWithBothLists) {
  write_named_model("xyz", {"x", "y", "z"});
  const std::string two =
      write("two.jsonl", toy_rows({9, 8, 7, 6, 5, 12}, {"yes", "no"}));
  const RunResult result = train("xyz", two, "run");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(
      result.standard_error,
      AllOf(HasSubstr("3 labels"), HasSubstr("x, y, z"), HasSubstr("2 labels"),
            HasSubstr("no, yes"), HasSubstr("--reinit-head")));
  EXPECT_FALSE(std::filesystem::exists(path("run/run.json")));
}

TEST_F(LabelsTest, AHeadWithoutNamesForAnotherNumberOfLabelsIsRefused) {
  write_model("three", tiny_config(3));
  const std::string two =
      write("two.jsonl", toy_rows({9, 8, 7, 6, 5, 12}, {0, 1}));
  const RunResult result = train("three", two, "run");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.standard_error, HasSubstr("LABEL_2"));
}

TEST_F(LabelsTest, EqualCountsOfOtherNamesAreRefusedToo) {
  write_named_model("xy", {"x", "y"});
  const std::string data =
      write("data.jsonl", toy_rows({9, 8, 7, 6}, {"a", "b"}));
  const RunResult result = train("xy", data, "run");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("x, y"), HasSubstr("a, b")));
}

TEST_F(LabelsTest, ANewHeadOnRequestKeepsTheEncoderAndSaysSo) {
  write_named_model("xyz", {"x", "y", "z"});
  const std::string two =
      write("two.jsonl", toy_rows({9, 8, 7, 6, 5, 12}, {"yes", "no"}));
  const RunResult result = train(
      "xyz", two, "run", {"--reinit-head", "true", "--learning-rate", "0"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("new 4"), HasSubstr("classifier.dense.weight")));
  const auto before = read_tensors(path("xyz/model.safetensors"));
  const auto after = read_tensors(path("run/model/model.safetensors"));
  for (const auto& [name, tensor] : after) {
    const at::Tensor& old = before.at(name);
    if (!name.starts_with("classifier.")) {
      EXPECT_TRUE(at::equal(tensor, old)) << name;
    } else if (name == "classifier.out_proj.weight") {
      EXPECT_EQ(tensor.size(0), 2);
      EXPECT_FALSE(at::equal(tensor, old.slice(0, 0, 2)));
    }
  }
}

TEST_F(LabelsTest, TheSameLabelsInAnotherOrderAreMatchedByName) {
  write_named_model("yx", {"y", "x"});
  const std::string rows = toy_rows({9, 8, 7, 6, 5, 12}, {"x", "y"});
  const std::string data = write("data.jsonl", rows);
  const auto before = predict("yx", data);
  const RunResult result = train("yx", data, "run", {"--learning-rate", "0"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr("by name"));
  const Json config =
      parse_strict_json(read_file(path("run/model/config.json")));
  EXPECT_EQ(config.at("id2label").at("0"), "y");
  const auto after = predict("run/model", data);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].at("label"), after[i].at("label"));
    EXPECT_EQ(before[i].at("probabilities"), after[i].at("probabilities"));
  }
}

TEST_F(LabelsTest, EvaluationOfAnUnknownLabelNamesRowAndLabels) {
  write_named_model("xy", {"x", "y"});
  const std::string data =
      write("data.jsonl", toy_rows({9, 8, 7}, {"x", "y", "z"}));
  const RunResult result = run({"evaluate", "--model", "xy", "--data", data});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("data.jsonl:3"), HasSubstr("z")));
}

TEST_F(LabelsTest, MultiLabelRowsWithoutAnyLabelAreTaken) {
  write_text_model("tiny", tiny_config(2));
  const std::string data = write("data.csv",
                                 "text,label\none,a|b\ntwo,\nthree,b\n"
                                 "four,a\n");
  const RunResult result = train("tiny", data, "run",
                                 {"--reinit-head", "true", "--problem-type",
                                  "multi_label_classification"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  for (const Json& answer : predict("run/model", data)) {
    EXPECT_TRUE(answer.at("labels").is_array());
  }
  EXPECT_EQ(run({"evaluate", "--model", "run/model", "--data", data}).exit_code,
            0);
}

TEST_F(LabelsTest, OptionsThatTheLabelsLeaveWithoutAMeaningAreRefused) {
  write_text_model("tiny", tiny_config(2));
  const std::string data = write("data.csv", csv_with_labels({"0.5", "3"}, 9));
  const RunResult result = train("tiny", data, "run",
                                 {"--reinit-head", "true", "--label-smoothing",
                                  "0.1", "--class-weights", "balanced"});
  EXPECT_EQ(result.exit_code, 2) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("label_smoothing"), HasSubstr("class_weights"),
                    HasSubstr("regression")));
  EXPECT_FALSE(std::filesystem::exists(path("run/run.json")));
}

TEST_F(LabelsTest, NumbersWithFractionsAreRegression) {
  write_text_model("tiny", tiny_config(2));
  const std::string data =
      write("data.csv", csv_with_labels({"0.5", "-1.25", "3"}, 9));
  const RunResult result =
      train("tiny", data, "run", {"--reinit-head", "true"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr("regression"));
  for (const Json& answer : predict("run/model", data)) {
    EXPECT_TRUE(answer.at("label").is_number());
  }
  const RunResult evaluation =
      run_well({"evaluate", "--model", "run/model", "--data", data});
  EXPECT_TRUE(parse_strict_json(evaluation.standard_output).contains("mse"))
      << evaluation.standard_output;
}

}  // namespace
}  // namespace longformer::test
