// SPDX-License-Identifier: MIT
#include "longformer/train/predictor.h"

#include <sstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/train/label_matching.h"

#include "support/temp_dir.h"
#include "tiny_model.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

struct Predicted {
  std::vector<Json> lines;
  PredictionCounts counts;
};

Predicted predict_rows(const ModelConfig& config, const std::string& rows,
                       const PredictionSettings& settings = {},
                       std::int64_t max_bad_rows = 0) {
  const TempDir directory;
  ReaderSettings reading;
  reading.label_column.clear();
  reading.keep_bad_rows = true;
  reading.reading.max_bad_rows = max_bad_rows;
  RecordReader reader({directory.write("rows.jsonl", rows).string()}, reading);
  const auto classifier = tiny_classifier(config);
  Predicted predicted;
  predicted.counts = predict(*classifier, nullptr, labels_of_model(config),
                             reader, settings, [&](std::string_view line) {
                               EXPECT_EQ(line.find('\n'), line.size() - 1);
                               predicted.lines.push_back(parse_strict_json(
                                   line.substr(0, line.size() - 1)));
                             });
  return predicted;
}

std::string row_of(std::int64_t length, std::int64_t id) {
  std::string row = "{\"id\": " + std::to_string(id) + ", \"input_ids\": [0";
  for (std::int64_t i = 2; i < length; ++i) {
    row += "," + std::to_string(4 + (i * 7 + id) % 50);
  }
  return row + ",2]}\n";
}

TEST(PredictorTest, EveryRowGetsOneLineInItsOrder) {
  std::string rows;
  for (std::int64_t i = 0; i < 40; ++i) rows += row_of(3 + (i * 37) % 120, i);
  PredictionSettings settings;
  settings.micro_batch_tokens = 300;
  settings.threads = 2;
  const Predicted predicted = predict_rows(tiny_config(3), rows, settings);
  ASSERT_EQ(predicted.lines.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) {
    const Json& line = predicted.lines[i];
    EXPECT_EQ(line.at("id"), static_cast<std::int64_t>(i));
    EXPECT_EQ(line.at("tokens"), static_cast<std::int64_t>(3 + (i * 37) % 120));
    EXPECT_EQ(line.at("truncated"), false);
    double sum = 0;
    double largest = 0;
    for (const auto& [label, probability] : line.at("probabilities").items()) {
      sum += probability.get<double>();
      largest = std::max(largest, probability.get<double>());
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(line.at("probabilities").at(line.at("label").get<std::string>()),
              largest);
    EXPECT_FALSE(line.contains("logits"));
  }
  EXPECT_EQ(predicted.counts.rows, 40);
}

TEST(PredictorTest, TheAnswerDoesNotDependOnTheCompany) {
  std::string rows;
  for (std::int64_t i = 0; i < 10; ++i) rows += row_of(5 + i * 12, i);
  PredictionSettings settings;
  settings.logits = true;
  const Predicted together = predict_rows(tiny_config(), rows, settings);
  for (std::int64_t i = 0; i < 10; ++i) {
    const Predicted alone =
        predict_rows(tiny_config(), row_of(5 + i * 12, i), settings);
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(alone.lines[0]["logits"][l].get<double>(),
                  together.lines[static_cast<std::size_t>(i)]["logits"][l]
                      .get<double>(),
                  1e-5);
    }
  }
}

TEST(PredictorTest, LongDocumentsAreCutAndSaidToBe) {
  PredictionSettings settings;
  settings.max_length = 20;
  const Predicted predicted =
      predict_rows(tiny_config(), row_of(50, 0) + row_of(20, 1), settings);
  EXPECT_EQ(predicted.lines[0].at("tokens"), 20);
  EXPECT_EQ(predicted.lines[0].at("truncated"), true);
  EXPECT_EQ(predicted.lines[1].at("truncated"), false);
  EXPECT_EQ(predicted.counts.truncated, 1);
}

TEST(PredictorTest, BadRowsGetALineThatNamesFileAndRow) {
  const std::string rows = row_of(5, 0) + "{\"input_ids\": [0, 60, 2]}\n" +
                           "nonsense\n" + row_of(6, 3);
  const Predicted predicted = predict_rows(tiny_config(), rows, {}, 2);
  ASSERT_EQ(predicted.lines.size(), 4U);
  EXPECT_THAT(predicted.lines[1].at("error").get<std::string>(),
              ::testing::AllOf(HasSubstr("rows.jsonl:2"), HasSubstr("60")));
  EXPECT_THAT(predicted.lines[2].at("error").get<std::string>(),
              HasSubstr("rows.jsonl:3"));
  EXPECT_EQ(predicted.lines[3].at("id"), 3);
  EXPECT_EQ(predicted.counts.bad_rows, 2);
  EXPECT_EQ(predicted.counts.rows, 4);
  EXPECT_THROW(predict_rows(tiny_config(), rows, {}, 1), DataError);
}

TEST(PredictorTest, AMultiLabelModelListsTheLabelsThatApply) {
  ModelConfig config = tiny_config(3);
  config.problem_type = ProblemType::kMultiLabel;
  const Predicted predicted = predict_rows(config, row_of(30, 0));
  const Json& line = predicted.lines[0];
  EXPECT_FALSE(line.contains("label"));
  std::vector<std::string> expected;
  for (const auto& [label, probability] : line.at("probabilities").items()) {
    if (probability.get<double>() >= 0.5) expected.push_back(label);
  }
  EXPECT_EQ(line.at("labels").get<std::vector<std::string>>(), expected);
}

TEST(PredictorTest, ARegressionModelAnswersWithItsNumbers) {
  ModelConfig config = tiny_config(1);
  config.problem_type = ProblemType::kRegression;
  EXPECT_TRUE(predict_rows(config, row_of(9, 0)).lines[0]["label"].is_number());
  config.labels = default_labels(2);
  const Predicted predicted = predict_rows(config, row_of(9, 0));
  EXPECT_EQ(predicted.lines[0].at("label").size(), 2U);
  EXPECT_FALSE(predicted.lines[0].contains("probabilities"));
}

TEST(PredictorTest, LabelsComeInTheNotationOfTheTrainingData) {
  ModelConfig config = tiny_config();
  set_labels(config, LabelMap(ProblemType::kSingleLabel, {"3", "7"},
                              LabelNotation::kInteger));
  EXPECT_TRUE(
      predict_rows(config, row_of(9, 0)).lines[0]["label"].is_number_integer());
}

TEST(PredictorTest, NoRowsGiveNoLines) {
  EXPECT_TRUE(predict_rows(tiny_config(), "").lines.empty());
}

TEST(PredictorTest, TextWithoutATokenizerSaysWhatToDo) {
  try {
    predict_rows(tiny_config(), "{\"text\": \"a\"}\n");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tokenizer"));
  }
}

}  // namespace
}  // namespace longformer::test
