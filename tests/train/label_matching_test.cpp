// SPDX-License-Identifier: MIT
#include "longformer/train/label_matching.h"

#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

ModelConfig config_with(std::vector<std::string> labels) {
  ModelConfig config = tiny_config();
  config.labels = std::move(labels);
  return config;
}

Dataset dataset_with(const std::vector<RawLabel>& labels) {
  DatasetBuilder builder({"data.jsonl"}, {});
  EncodedDocument document;
  document.ids = {0, 5, 2};
  std::int64_t line = 0;
  for (const RawLabel& label : labels) {
    ++line;
    builder.add(document, label, {0, 1, line, line});
  }
  return builder.finish();
}

TEST(LabelMatchingTest, TheProblemTypeIsWhatTheConfigSays) {
  ModelConfig config = config_with({"a", "b"});
  config.problem_type = ProblemType::kMultiLabel;
  EXPECT_EQ(problem_type_of(config), ProblemType::kMultiLabel);
}

TEST(LabelMatchingTest, WithoutOneTheNumberOfOutputsDecides) {
  ModelConfig config = config_with({"a", "b"});
  config.problem_type.reset();
  EXPECT_EQ(problem_type_of(config), ProblemType::kSingleLabel);
  config.labels = {"LABEL_0"};
  EXPECT_EQ(problem_type_of(config), ProblemType::kRegression);
}

TEST(LabelMatchingTest, NamesFindTheirOutputWhateverTheOrderInTheData) {
  const ModelConfig config = config_with({"spam", "ham"});
  Dataset data = dataset_with(
      {std::string("ham"), std::string("spam"), std::string("ham")});
  data.set_targets(match_labels(config, data));
  EXPECT_EQ(data.class_id(0), 1);
  EXPECT_EQ(data.class_id(1), 0);
}

TEST(LabelMatchingTest, ALabelThatTheModelDoesNotHaveNamesItsRow) {
  const ModelConfig config = config_with({"spam", "ham"});
  Dataset data = dataset_with({std::string("ham"), std::string("eggs")});
  try {
    data.set_targets(match_labels(config, data));
    FAIL() << "no error";
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("data.jsonl:2"), std::string::npos) << message;
    EXPECT_NE(message.find("eggs"), std::string::npos) << message;
  }
}

TEST(LabelMatchingTest, ModelsWithoutNamesReadNumbers) {
  const ModelConfig config = config_with(default_labels(3));
  for (const std::vector<RawLabel>& labels :
       {std::vector<RawLabel>{std::int64_t{2}, std::int64_t{0}},
        std::vector<RawLabel>{std::string("2"), std::string("0")}}) {
    Dataset data = dataset_with(labels);
    data.set_targets(match_labels(config, data));
    EXPECT_EQ(data.class_id(0), 2);
    EXPECT_EQ(data.class_id(1), 0);
  }
}

TEST(LabelMatchingTest, ModelsWithoutNamesAlsoReadTheirDefaultNames) {
  const ModelConfig config = config_with(default_labels(3));
  Dataset data = dataset_with({std::string("LABEL_2"), std::string("LABEL_0")});
  data.set_targets(match_labels(config, data));
  EXPECT_EQ(data.class_id(0), 2);
}

TEST(LabelMatchingTest, NumbersBeyondTheOutputsAreRefused) {
  const ModelConfig config = config_with(default_labels(3));
  for (const std::int64_t label : {std::int64_t{3}, std::int64_t{-1}}) {
    Dataset data = dataset_with({std::int64_t{0}, label});
    EXPECT_THROW(data.set_targets(match_labels(config, data)), DataError);
  }
}

TEST(LabelMatchingTest, SavedLabelsComeBackInTheNotationOfTheData) {
  for (const LabelNotation notation :
       {LabelNotation::kText, LabelNotation::kInteger,
        LabelNotation::kBoolean}) {
    ModelConfig config = tiny_config();
    set_labels(config, LabelMap(ProblemType::kSingleLabel,
                                notation == LabelNotation::kInteger
                                    ? std::vector<std::string>{"3", "7"}
                                    : std::vector<std::string>{"false", "true"},
                                notation));
    const ModelConfig read =
        parse_model_config(to_json(config, "float32"), "config.json");
    EXPECT_EQ(labels_of_model(read).notation(), notation);
    EXPECT_EQ(labels_of_model(read).names(), config.labels);
  }
}

TEST(LabelMatchingTest, ANewHeadForgetsTheNotationOfTheOldOne) {
  ModelConfig config = tiny_config();
  set_labels(config, LabelMap(ProblemType::kSingleLabel, {"1", "2"},
                              LabelNotation::kInteger));
  set_labels(config, LabelMap(ProblemType::kSingleLabel, {"a", "b"}));
  EXPECT_EQ(labels_of_model(config).notation(), LabelNotation::kText);
}

}  // namespace
}  // namespace longformer::test
