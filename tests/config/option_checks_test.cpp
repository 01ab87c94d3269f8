// SPDX-License-Identifier: MIT
// Combinations of options.
#include "longformer/config/option_checks.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TrainOptions good_options() {
  TrainOptions options;
  options.data.train_data = {"train.jsonl"};
  options.model.model = "base";
  options.run.output_dir = "out";
  return options;
}

template <class Options>
std::string texts(const Options& options) {
  std::string text;
  for (const OptionProblem& problem : validate(options)) {
    text += problem.text + "\n";
    EXPECT_THAT(problem.options, testing::Not(IsEmpty())) << problem.text;
  }
  return text;
}

TEST(ValidateTrainTest, AcceptsTheDefaults) {
  EXPECT_EQ(texts(good_options()), "");
  EXPECT_THAT(warnings(good_options(), {}), IsEmpty());
}

TEST(ValidateTrainTest, WantsAModelOrAnArchitecture) {
  TrainOptions options = good_options();
  options.model.architecture = "a.json";
  EXPECT_THAT(texts(options),
              HasSubstr("model and architecture are both given"));
  options.model.model.clear();
  EXPECT_EQ(texts(options), "");
  options.model.architecture.clear();
  EXPECT_THAT(texts(options), HasSubstr("model: missing"));
}

TEST(ValidateTrainTest, WantsOneKindOfWarmUp) {
  TrainOptions options = good_options();
  options.optimizer.warmup_steps = 10;
  EXPECT_EQ(texts(options), "");
  options.optimizer.warmup_ratio = 0.1;
  EXPECT_THAT(texts(options), HasSubstr("warmup_steps (10) and warmup_ratio"));
}

TEST(ValidateTrainTest, NamesAnOddWindow) {
  TrainOptions options = good_options();
  options.model.attention_window = 15;
  EXPECT_THAT(texts(options), HasSubstr("attention_window: 15 is odd"));
  options.model.attention_window = 16;
  EXPECT_EQ(texts(options), "");
}

TEST(ValidateTrainTest, EarlyStoppingNeedsValidationData) {
  TrainOptions options = good_options();
  options.run.early_stopping_patience = 1;
  EXPECT_THAT(texts(options), HasSubstr("early_stopping_patience"));
  options.data.validation_data = {"v.jsonl"};
  EXPECT_EQ(texts(options), "");
}

TEST(ValidateTrainTest, ChecksLabelsAndTheirWeights) {
  TrainOptions options = good_options();
  options.data.labels = {"a", "b", "a"};
  EXPECT_THAT(texts(options), HasSubstr("labels: \"a\" appears twice"));
  options.data.labels = {"a", ""};
  EXPECT_THAT(texts(options), HasSubstr("empty name"));
  options.data.labels = {"a,b"};
  EXPECT_THAT(texts(options),
              HasSubstr("labels: \"a,b\" is one name; give the names one by "
                        "one: --labels A B"));
  options.data.labels = {"a", "b"};
  options.optimizer.class_weights = {ClassWeights::Kind::kList, {1, 2, 3}};
  EXPECT_THAT(texts(options),
              HasSubstr("class_weights: has 3 numbers for 2 labels"));
  options.optimizer.class_weights.values = {0, 0};
  EXPECT_THAT(texts(options), HasSubstr("all are 0"));
  options.optimizer.class_weights.values = {0, 1};
  EXPECT_EQ(texts(options), "");
}

TEST(ValidateTrainTest, KnowsTheWaysOfRecomputation) {
  TrainOptions options = good_options();
  options.memory.recomputation = {"full", "none", "selective"};
  EXPECT_EQ(texts(options), "");
  options.memory.recomputation = {"ful"};
  EXPECT_THAT(texts(options),
              HasSubstr("recomputation: expected none, selective or full, got "
                        "\"ful\""));
  options.memory.recomputation = {};
  EXPECT_THAT(texts(options), HasSubstr("recomputation: has 0 values"));
}

TEST(RecomputationOfTest, TakesOneForAllLayersOrOneForEach) {
  EXPECT_EQ(recomputation_of({"full"}, 2),
            std::vector(2, Recomputation::kFull));
  EXPECT_EQ(recomputation_of({"none", "selective"}, 2),
            (std::vector{Recomputation::kNone, Recomputation::kSelective}));
  try {
    recomputation_of({"none", "full"}, 12);
    FAIL() << "not refused";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "recomputation: has 2 values for a model of 12 layers; give "
                 "one for all, or one for each");
  }
}

TEST(ValidateTrainTest, LossOptionsNeedAClassificationLoss) {
  TrainOptions options = good_options();
  options.optimizer.label_smoothing = 0.1;
  options.optimizer.class_weights.kind = ClassWeights::Kind::kBalanced;
  EXPECT_EQ(texts(options), "") << "auto is decided later";
  EXPECT_THAT(validate_for_problem(options, ProblemType::kSingleLabel),
              IsEmpty());
  EXPECT_EQ(validate_for_problem(options, ProblemType::kRegression).size(), 2u);
  options.data.problem_type = ProblemTypeChoice::kRegression;
  EXPECT_THAT(texts(options), HasSubstr("label_smoothing: has no meaning for "
                                        "regression"));
  EXPECT_THAT(texts(options),
              HasSubstr("class_weights: has no meaning for regression"));
  options.data.problem_type = ProblemTypeChoice::kMultiLabel;
  EXPECT_THAT(texts(options), HasSubstr("multi_label_classification"));
}

TEST(ValidateTrainTest, ChecksColumns) {
  TrainOptions options = good_options();
  options.data.label_column = "text";
  EXPECT_THAT(texts(options), HasSubstr("label_column and text_column"));
  options.data.label_column = "";
  EXPECT_THAT(texts(options), HasSubstr("label_column: is empty"));
  options.data.label_column = "label";
  options.reading.text_pair_column = "text";
  EXPECT_THAT(texts(options), HasSubstr("text_column and text_pair_column"));
  options.reading.text_pair_column = "label";
  EXPECT_THAT(texts(options), HasSubstr("label_column and text_pair_column"));
}

TEST(ValidateTrainTest, ChecksCsvCharacters) {
  TrainOptions options = good_options();
  options.reading.csv_delimiter = "||";
  options.reading.csv_quote = "\n";
  EXPECT_THAT(texts(options), HasSubstr("csv_delimiter: expected auto"));
  EXPECT_THAT(texts(options), HasSubstr("csv_quote: expected auto"));
  options.reading.csv_delimiter = "|";
  options.reading.csv_quote = "|";
  EXPECT_THAT(texts(options), HasSubstr("they have to differ"));
  options.reading.csv_quote = "none";
  EXPECT_EQ(texts(options), "");
  options.reading.data_format = DataFormat::kTsv;
  EXPECT_THAT(texts(options), HasSubstr("contradicts data_format tsv"));
  options.reading.csv_delimiter = "tab";
  EXPECT_EQ(texts(options), "");
}

TEST(ValidateTrainTest, ChecksDevicesAndPaths) {
  TrainOptions options = good_options();
  options.compute.devices = "gpu";
  options.data.test_data = {"-"};
  options.data.validation_data = {"v", ""};
  options.run.resume = "";
  EXPECT_THAT(texts(options), HasSubstr("devices: expected auto, cpu or GPU"));
  EXPECT_THAT(texts(options), HasSubstr("test_data: - (standard input)"));
  EXPECT_THAT(texts(options), HasSubstr("validation_data: holds an empty"));
  EXPECT_THAT(texts(options), HasSubstr("resume: is empty"));
  EXPECT_EQ(validate(options).size(), 4u) << "all at once";
}

TEST(TrainWarningsTest, NameGivenOptionsWithoutEffect) {
  TrainOptions options = good_options();
  options.model.model.clear();
  options.model.architecture = "a.json";
  options.model.reinit_head = true;
  options.model.allow_missing_weights = true;
  options.reading.data_format = DataFormat::kJsonLines;
  const auto lines = warnings(options, {{"best_metric", "c.json"},
                                        {"validate_every", "c.json"},
                                        {"csv_quote", "c.json"}});
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("csv_quote"), HasSubstr("validate_every"),
                          HasSubstr("best_metric"), HasSubstr("reinit_head"),
                          HasSubstr("allow_missing_weights")));
}

TEST(TrainWarningsTest, NameColumnsThatTextFilesDoNotHave) {
  TrainOptions options = good_options();
  options.reading.data_format = DataFormat::kText;
  EXPECT_THAT(
      warnings(options, {{"text_column", "c"}, {"text_pair_column", "c"}}),
      ElementsAre(HasSubstr("text_column has no effect with data_format text"),
                  HasSubstr("text_pair_column has no effect")));
}

TEST(TrainWarningsTest, NameOptionsThatTheRunIsTooShortFor) {
  TrainOptions options = good_options();
  options.data.validation_data = {"v.jsonl"};
  options.run.validate_every = 5;
  options.run.checkpoint_every = 10;
  options.run.early_stopping_patience = 1;
  options.optimizer.warmup_steps = 9;
  EXPECT_THAT(warnings_for_length(options, 10, 4), IsEmpty());
  options.run.validate_every = 11;
  options.run.checkpoint_every = 12;
  options.optimizer.warmup_steps = 10;
  EXPECT_THAT(
      warnings_for_length(options, 10, 4),
      ElementsAre(HasSubstr("validate_every (11) is above the 10 steps"),
                  HasSubstr("checkpoint_every (12)"),
                  HasSubstr("warmup_steps (10) is not below"),
                  HasSubstr("early_stopping_patience (1) has no effect: this "
                            "run validates 1 time")));
  options = good_options();
  options.run.validate_every = 11;
  EXPECT_THAT(warnings_for_length(options, 10, 4), IsEmpty())
      << "without data, that is what the warning says";
}

TEST(ValidateCommandsTest, OnlyPredictionReadsStandardInput) {
  PredictOptions predict;
  predict.task.data = {"-"};
  EXPECT_EQ(texts(predict), "");
  predict.task.data = {"-", "a"};
  EXPECT_THAT(texts(predict), HasSubstr("cannot be combined"));
  EvaluateOptions evaluate;
  evaluate.task.data = {"-"};
  EXPECT_THAT(texts(evaluate), HasSubstr("only once"));
  TokenizerTrainOptions train;
  train.task.data = {"-"};
  EXPECT_THAT(texts(train), HasSubstr("only once"));
  TokenizerDecodeOptions decode;
  decode.task.data = {"-"};
  EXPECT_EQ(texts(decode), "");
}

TEST(ValidateCommandsTest, AStrideFitsIntoTheLength) {
  TokenizerEncodeOptions options;
  options.task.data = {"a"};
  EXPECT_EQ(texts(options), "");
  options.task.stride = 8;
  EXPECT_THAT(texts(options), HasSubstr("no effect without max_length"));
  options.task.max_length = 8;
  EXPECT_THAT(texts(options), HasSubstr("8 is not below max_length 8"));
  options.task.max_length = 9;
  EXPECT_EQ(texts(options), "");
}

TEST(ValidateCommandsTest, ConversionTakesEvenWindows) {
  ConvertOptions options;
  options.task.attention_window = 7;
  EXPECT_THAT(texts(options), HasSubstr("7 is odd"));
}

TEST(ConvertWarningsTest, NameTheWindowThatIsNotDoubled) {
  ConvertOptions options;
  options.task.one_sided_window = true;
  EXPECT_THAT(warnings(options, {}), IsEmpty());
  options.task.attention_window = 64;
  EXPECT_THAT(warnings(options, {}),
              ElementsAre(HasSubstr("one_sided_window has no effect")));
}

TEST(ValidateCommandsTest, InspectionNeedsTwoColumns) {
  InspectOptions options;
  EXPECT_EQ(texts(options), "");
  options.task.label_column = "text";
  EXPECT_THAT(texts(options), HasSubstr("label_column and text_column"));
}

TEST(ThrowIfAnyTest, IsSilentWithoutProblems) {
  EXPECT_NO_THROW(throw_if_any({}));
  EXPECT_THROW(throw_if_any({{"x", {}}}), ConfigError);
}

}  // namespace
}  // namespace longformer
