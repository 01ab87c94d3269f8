// SPDX-License-Identifier: MIT
// The command line.
#include "options.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Args = std::vector<std::string>;

ParsedOptions<TrainOptions> train(Args args) {
  for (const char* arg :
       {"--train-data", "t", "--output-dir", "o", "--architecture", "a.json"}) {
    args.emplace_back(arg);
  }
  return parse_command_line<TrainOptions>(
      {.command = "train", .about = "Trains.", .args = args});
}

template <class Parse>
std::string refusal(const Parse& parse) {
  try {
    parse();
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string train_refusal(const Args& args) {
  return refusal([&] { train(args); });
}

ParsedOptions<PredictOptions> predict(Args args) {
  for (const char* arg : {"--model", "m", "--data", "d"}) {
    args.emplace_back(arg);
  }
  return parse_command_line<PredictOptions>(
      {.command = "predict", .about = "Predicts.", .args = args});
}

ParsedOptions<InspectOptions> inspect(const Args& args) {
  return parse_command_line<InspectOptions>(
      {.command = "inspect", .about = "Inspects.", .args = args});
}

TEST(CommandLineTest, FlagsAreKebabCaseWithBlankOrEqualsSign) {
  const auto options =
      train({"--learning-rate", "1e-3", "--batch-size=8", "--pooling", "mean"})
          .options;
  EXPECT_EQ(options.optimizer.learning_rate, 1e-3);
  EXPECT_EQ(options.optimizer.batch_size, 8);
  EXPECT_EQ(options.model.pooling, PoolingChoice::kMean);
}

TEST(CommandLineTest, ValuesMayStartWithADash) {
  EXPECT_EQ(train({"--seed", "-1"}).options.run.seed, -1);
  EXPECT_EQ(train({"--seed=-1"}).options.run.seed, -1);
  const auto options =
      train({"--label-column", "-x", "--text-column", "--y"}).options;
  EXPECT_EQ(options.data.label_column, "-x");
  EXPECT_EQ(options.reading.text_column, "--y");
  EXPECT_EQ(train({"--text-column=--seed"}).options.reading.text_column,
            "--seed");
  EXPECT_THAT(train_refusal({"--learning-rate", "-1"}),
              HasSubstr("--learning-rate: expected a number from 0 to 10"));
}

TEST(CommandLineTest, ValuesMayBeEmptyOrLookLikeLists) {
  EXPECT_EQ(train({"--text-pair-column", ""}).options.reading.text_pair_column,
            "");
  EXPECT_EQ(train({"--label-column=[x]"}).options.data.label_column, "[x]");
  EXPECT_EQ(train({"--label-column", "a=b"}).options.data.label_column, "a=b");
  EXPECT_EQ(train({"--label-column=a=b"}).options.data.label_column, "a=b");
  EXPECT_EQ(train({"--label-column", "%%"}).options.data.label_column, "%%");
  EXPECT_EQ(train({"--label-column", "{}"}).options.data.label_column, "{}");
}

TEST(CommandLineTest, TrueOrFalseFlagsStandAloneOrWithTheirValue) {
  EXPECT_TRUE(predict({"--logits"}).options.task.logits);
  EXPECT_TRUE(predict({"--logits", "true"}).options.task.logits);
  EXPECT_TRUE(predict({"--logits=TRUE"}).options.task.logits);
  EXPECT_FALSE(predict({"--logits", "false"}).options.task.logits);
  EXPECT_FALSE(predict({}).options.task.logits);
  EXPECT_THAT(refusal([] {
                predict({"--logits", "yes"});
              }),
              HasSubstr("--logits: expected true or false, got \"yes\""));
  EXPECT_THAT(refusal([] {
                predict({"--logits", "--logits"});
              }),
              HasSubstr("given 2 times"));
}

TEST(CommandLineTest, ListsAreGivenInARowOrByRepeatingTheFlag) {
  const auto options =
      train({"--labels", "b", "--labels", "a, c", "--class-weights", "1,2"})
          .options;
  EXPECT_THAT(options.data.labels, ElementsAre("b", "a, c"));
  EXPECT_THAT(train({"--labels", "b", "a, c", "--labels=d", "--epochs", "2"})
                  .options.data.labels,
              ElementsAre("b", "a, c", "d"));
  EXPECT_THAT(train_refusal({"--labels=d", "e"}),
              HasSubstr("unexpected argument \"e\""));
  EXPECT_THAT(options.optimizer.class_weights.values, ElementsAre(1, 2));
}

TEST(CommandLineTest, AScalarGivenTwiceIsRefused) {
  EXPECT_THAT(train_refusal({"--seed", "1", "--seed", "1"}),
              HasSubstr("--seed: given 2 times"));
}

TEST(CommandLineTest, EveryMistakeIsToldAtOnce) {
  const std::string message =
      train_refusal({"--lerning-rate", "3", "--epochs", "three", "stray",
                     "--seed=x", "-q", "--warmup-steps", "5", "--warmup-ratio",
                     "0.5", "run.json", "--max-steps"});
  for (const char* text :
       {"--lerning-rate: unknown option; did you mean --learning-rate?",
        "--epochs: expected a whole number from 1", "argument \"stray\"",
        "--seed: expected a whole number", "-q: unknown option",
        "warmup_steps (5) and warmup_ratio",
        "\"run.json\"; a configuration file is given with --config",
        "--max-steps: needs a value, but --train-data follows"}) {
    EXPECT_THAT(message, HasSubstr(text));
  }
  EXPECT_THAT(message, HasSubstr("8 problems"));
}

TEST(CommandLineTest, AMissingValueIsNotTheNextFlag) {
  EXPECT_THAT(refusal([] {
                parse_command_line<PredictOptions>(
                    {.command = "predict",
                     .about = "",
                     .args = {"--data", "--model", "m"}});
              }),
              HasSubstr("--data: needs a value, but --model follows"));
  EXPECT_THAT(refusal([] {
                parse_command_line<PredictOptions>(
                    {.command = "predict", .about = "", .args = {"--data"}});
              }),
              HasSubstr("--data: needs a value"));
}

TEST(CommandLineTest, RequiredOptionsAreAskedFor) {
  const std::string message = refusal([] {
    parse_command_line<TrainOptions>(
        {.command = "train", .about = "", .args = {}});
  });
  EXPECT_THAT(message, HasSubstr("train_data: missing; give --train-data"));
  EXPECT_THAT(message, HasSubstr("output_dir: missing"));
  EXPECT_THAT(message, HasSubstr("model: missing"));
}

TEST(CommandLineTest, PositionalArgumentsWorkAnywhere) {
  EXPECT_EQ(inspect({"file"}).options.task.path, "file");
  EXPECT_EQ(inspect({"--path", "file"}).options.task.path, "file");
  EXPECT_EQ(inspect({"file", "--tokenizer", "t"}).options.task.path, "file");
  const auto options = inspect({"--tokenizer", "t", "file"}).options;
  EXPECT_EQ(options.task.path, "file");
  EXPECT_EQ(options.task.tokenizer, "t");
  EXPECT_EQ(inspect({"--", "--file"}).options.task.path, "--file");
  EXPECT_EQ(inspect({"-"}).options.task.path, "-");
  EXPECT_THAT(refusal([] {
                inspect({"a", "b"});
              }),
              HasSubstr("unexpected argument \"b\""));
  EXPECT_THAT(refusal([] { inspect({}); }), HasSubstr("path: missing"));
}

TEST(CommandLineTest, AFileNamedTwiceIsRefused) {
  EXPECT_THAT(refusal([] { inspect({"--path", "a", "b"}); }), Not(IsEmpty()));
}

class ConfigFileTest : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    return folder_.write("c.json", text).string();
  }
  test::TempDir folder_;
};

TEST_F(ConfigFileTest, FlagsWinWhereverTheyStand) {
  const std::string file = write(
      R"({"seed": 5, "epochs": 9, "labels": ["x", "y"], "shuffle": true})");
  for (const Args& args : {Args{"--config", file, "--seed", "-6", "--labels",
                                "z", "--shuffle", "false"},
                           Args{"--seed", "-6", "--labels", "z",
                                "--shuffle=false", "--config=" + file}}) {
    const auto parsed = train(args);
    EXPECT_EQ(parsed.options.run.seed, -6);
    EXPECT_EQ(parsed.options.optimizer.epochs, 9);
    EXPECT_THAT(parsed.options.data.labels, ElementsAre("z"));
    EXPECT_FALSE(parsed.options.run.shuffle);
    EXPECT_EQ(parsed.sources.at("seed"), "command line");
    EXPECT_EQ(parsed.sources.at("epochs"), file);
    EXPECT_EQ(parsed.sources.count("max_steps"), 0u);
  }
}

TEST_F(ConfigFileTest, PlatformsStandBetweenFileAndFlags) {
  const std::string file =
      write(R"({"seed": 1, "epochs": 1, "max_steps": 1, "train_data": "t",
                "output_dir": "o", "model": "m"})");
  const auto parsed = parse_command_line<TrainOptions>(
      {.command = "train",
       .about = "",
       .args = {"--config", file, "--seed", "3"},
       .platform = {
           {"hyperparameters.json", R"({"seed": "2", "epochs": "\"2\""})"},
           {"channels", R"({"max_steps": 7})"}}});
  EXPECT_EQ(parsed.options.run.seed, 3);
  EXPECT_EQ(parsed.options.optimizer.epochs, 2);
  EXPECT_EQ(parsed.options.optimizer.max_steps, 7);
  EXPECT_EQ(parsed.sources.at("epochs"), "hyperparameters.json");
}

TEST_F(ConfigFileTest, ProblemsOfFileAndFlagsAreToldTogether) {
  const std::string file = write(R"({"learning_rat": 1, "batch_size": 0})");
  const std::string message = train_refusal({"--config", file, "--seed", "x"});
  EXPECT_THAT(message, HasSubstr(file + ": \"learning_rat\": unknown option"));
  EXPECT_THAT(message, HasSubstr(file + ": batch_size: expected"));
  EXPECT_THAT(message, HasSubstr("command line: --seed: expected"));
}

TEST_F(ConfigFileTest, AMissingFileOrADirectoryIsNamed) {
  const std::string missing = (folder_ / "none.json").string();
  EXPECT_THAT(train_refusal({"--config", missing}),
              testing::AllOf(HasSubstr("--config"), HasSubstr(missing)));
  const std::string directory = folder_.path().string();
  EXPECT_THAT(train_refusal({"--config", directory}),
              testing::AllOf(HasSubstr("--config"), HasSubstr(directory)));
  EXPECT_THAT(train_refusal({"--config", missing, "--config", missing}),
              HasSubstr("--config: given 2 times"));
}

TEST_F(ConfigFileTest, TheSavedCopyOfARunGivesTheSameRun) {
  const auto first = train({"--seed", "-7", "--dropout", "0.25", "--labels",
                            "a", "--labels", "b", "--shuffle", "false"});
  const std::string file = write(options_to_json(first.options).dump(2));
  const auto again = parse_command_line<TrainOptions>(
      {.command = "train", .about = "", .args = {"--config", file}});
  EXPECT_EQ(options_to_json(again.options), options_to_json(first.options));
}

TEST_F(ConfigFileTest, WarningsComeWithTheOptions) {
  EXPECT_THAT(train({"--validate-every", "5"}).warnings,
              ElementsAre(HasSubstr("validate_every has no effect")));
  EXPECT_THAT(train({}).warnings, IsEmpty());
}

TEST(HelpTest, ShowsGroupsFlagsUnitsAndDefaults) {
  const auto parsed = parse_command_line<TrainOptions>(
      {.command = "train", .about = "", .args = {"--help"}});
  std::size_t begin = 0;
  while (begin < parsed.help.size()) {
    const std::size_t end = parsed.help.find('\n', begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - begin, 100u) << parsed.help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace longformer
