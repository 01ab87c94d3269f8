// SPDX-License-Identifier: MIT
//
// Options from a file and from the command line, through the program: mistakes
// are refused by name before anything starts, flags are stronger than the file,
// and the saved configuration repeats the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ConfigTest : public ProgramTest {
 protected:
  ConfigTest() {
    write_model("tiny", tiny_config());
    write("train.jsonl", toy_rows({9, 30, 5, 77, 12, 8}, {"no", "yes"}));
    write("more.jsonl", toy_rows({11, 7}, {"no", "yes"}, 8));
  }

  /// A configuration that works, with `more` in it.
  static std::string config_with(const std::string& more) {
    return "{\n\"model\": \"tiny\",\n\"train_data\": [\"train.jsonl\"],\n"
           "\"output_dir\": \"run\",\n\"max_steps\": 2,\n\"threads\": 1" +
           (more.empty() ? "" : ",\n" + more) + "\n}\n";
  }

  RunResult train_with(const std::string& text,
                       const std::vector<std::string>& flags = {}) const {
    write("c.json", text);
    return run(with({"train", "--config", "c.json"}, flags));
  }

  Json saved() const {
    return parse_strict_json(read_file(path("run/run.json")));
  }
};

struct Mistake {
  std::string text;
  std::vector<std::string> words;
};

// FEX PR 4596: a mistyped key was ignored and the default used.
TEST_F(ConfigTest, EveryMistakeInAFileIsRefusedByKeyBeforeAnythingStarts) {
  const std::vector<Mistake> mistakes{
      {config_with("\"learning_rat\": 1e-3"),
       {"learning_rat", "learning_rate"}},
      {config_with("\"batch_size\": \"3\""), {"batch_size", "\"3\""}},
      {config_with("\"batch_size\": true"), {"batch_size", "true"}},
      {config_with("\"learning_rate\": true"), {"learning_rate", "true"}},
      {config_with("\"learning_rate\": \"fast\""), {"learning_rate"}},
      {config_with("\"learning_rate\": -1"), {"learning_rate", "-1"}},
      {config_with("\"batch_size\": 1.5"), {"batch_size", "1.5"}},
      {config_with("\"batch_size\": 0"), {"batch_size", "0"}},
      {config_with("\"batch_size\": 1e3"), {"batch_size", "1000"}},
      {config_with("\"seed\": 18446744073709551615"), {"seed"}},
      {config_with("\"shuffle\": 1"), {"shuffle"}},
      {config_with("\"schedule\": \"liner\""), {"schedule", "linear"}},
      {config_with("\"optimizer\": {\"learning_rate\": 1}"), {"optimizer"}},
      {config_with("\"seed\": 1, \"seed\": 2"), {"seed"}},
      {config_with("\"seed\": 1,"), {"line 8"}},
      {config_with("\"seed\": 1 // mine"), {"line 7"}},
      {config_with("\"learning_rate\": NaN"), {"line 7"}},
      {config_with("\"learning_rate\": 1e999"), {"c.json"}},
      {"[1]", {"c.json"}},
      {"", {"c.json"}},
  };
  for (const Mistake& mistake : mistakes) {
    const RunResult result = train_with(mistake.text);
    EXPECT_EQ(result.exit_code, 2) << mistake.text << result.standard_error;
    EXPECT_THAT(result.standard_error, HasSubstr("c.json")) << mistake.text;
    for (const std::string& word : mistake.words) {
      EXPECT_THAT(result.standard_error, HasSubstr(word)) << mistake.text;
    }
    EXPECT_FALSE(std::filesystem::exists(path("run"))) << mistake.text;
  }
}

TEST_F(ConfigTest, AllProblemsAreReportedAtOnce) {
  const RunResult result = train_with(
      config_with("\"learning_rat\": 1,\n\"batch_size\": 0"), {"--sed", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("learning_rat"), HasSubstr("batch_size"),
                    HasSubstr("--sed"), HasSubstr("--seed")));
}

TEST_F(ConfigTest, AFlagIsStrongerThanTheFile) {
  const RunResult result = train_with(
      config_with("\"learning_rate\": 1e-3,\n\"shuffle\": true,\n"
                  "\"seed\": 5,\n\"validation_data\": [\"train.jsonl\"]"),
      {"--learning-rate", "2e-4", "--shuffle", "false", "--train-data",
       "more.jsonl"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const Json options = saved();
  EXPECT_EQ(options.at("learning_rate"), 2e-4);
  EXPECT_EQ(options.at("shuffle"), false);
  EXPECT_EQ(options.at("seed"), 5);
  // A list is replaced, not appended to.
  EXPECT_EQ(options.at("train_data"), Json::array({"more.jsonl"}));
  EXPECT_EQ(options.at("validation_data"), Json::array({"train.jsonl"}));
  EXPECT_EQ(options.at("batch_size"), 32);  // The default.
  // Every value that is no default is in the log with its source.
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("learning_rate = 0.0002 (command line"),
                    HasSubstr("seed = 5 (c.json")));
}

TEST_F(ConfigTest, NegativeNumbersWorkOnTheCommandLine) {
  ASSERT_EQ(train_with(config_with(""), {"--seed", "-1"}).exit_code, 0);
  EXPECT_EQ(saved().at("seed"), -1);
}

TEST_F(ConfigTest, AMissingFileOrADirectoryIsNamed) {
  for (const char* name : {"nowhere.json", "tiny"}) {
    const RunResult result = run({"train", "--config", name});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.standard_error, HasSubstr(name));
  }
}

TEST_F(ConfigTest, TheEnvironmentSetsNoOption) {
  RunOptions options;
  options.working_directory = directory_.path();
  options.environment = {{"LONGFORMER_SEED", "7"},
                         {"SEED", "7"},
                         {"LONGFORMER_LEARNING_RATE", "1"}};
  write("c.json", config_with(""));
  const RunResult result = run_program(
      longformer_binary(), {"train", "--config", "c.json"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(saved().at("seed"), 42);
}

TEST_F(ConfigTest, TheSavedConfigurationRepeatsTheRun) {
  ASSERT_EQ(train_with(config_with("\"learning_rate\": 1e-3,\n\"seed\": 9"),
                       {"--dropout", "0.1", "--validation-data", "more.jsonl",
                        "--max-steps", "6", "--batch-size", "4"})
                .exit_code,
            0);
  const RunResult again =
      run({"train", "--config", "run/run.json", "--output-dir", "again"});
  ASSERT_EQ(again.exit_code, 0) << again.standard_error;
  for (const char* file :
       {"/model/model.safetensors", "/model/config.json", "/validation.json"}) {
    EXPECT_EQ(read_file(path(std::string("run") + file)),
              read_file(path(std::string("again") + file)))
        << file;
  }
  Json first = saved();
  Json second = parse_strict_json(read_file(path("again/run.json")));
  EXPECT_EQ(second.at("output_dir"), "again");
  first.erase("output_dir");
  second.erase("output_dir");
  EXPECT_EQ(first, second);
}

TEST_F(ConfigTest, OptionsWithoutEffectAreSaid) {
  const RunResult result = train_with(config_with("\"validate_every\": 3"));
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("validate_every has no effect"));
}

}  // namespace
}  // namespace longformer::test
