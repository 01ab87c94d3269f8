// SPDX-License-Identifier: MIT
// Sources of options: order, strictness, and messages that name the place.
#include "longformer/config/option_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/config/train_options.h"

namespace longformer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OptionReaderTest : public testing::Test {
 protected:
  /// All problems, one a line.
  std::string problems() const {
    std::string text;
    for (const OptionProblem& problem : reader_.problems()) {
      text += problem.text + "\n";
    }
    return text;
  }

  TrainOptions options_;
  OptionReader reader_{bind_fields(options_)};
};

TEST_F(OptionReaderTest, LaterSourcesWinOverEarlierOnes) {
  reader_.read_config(
      R"({"seed": 1, "batch_size": 2, "learning_rate": 0.5, "epochs": 9})",
      "c.json");
  reader_.read_platform(R"({"seed": "3", "batch_size": "4"})", "h.json");
  reader_.read_command_line({{"seed", {"5"}}});
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(options_.run.seed, 5);
  EXPECT_EQ(options_.optimizer.batch_size, 4);
  EXPECT_EQ(options_.optimizer.learning_rate, 0.5);
  EXPECT_EQ(options_.optimizer.warmup_ratio, 0);
  EXPECT_THAT(
      describe_changes(options_, reader_.sources()),
      ElementsAre("epochs = 9 (c.json)", "batch_size = 4 (h.json)",
                  "learning_rate = 0.5 (c.json)", "seed = 5 (command line)"));
}

TEST_F(OptionReaderTest, AFlagTurnsOffWhatTheFileTurnsOn) {
  reader_.read_config(R"({"reinit_head": true, "shuffle": true})", "c.json");
  reader_.read_command_line(
      {{"reinit_head", {"false"}}, {"shuffle", {"false"}}});
  EXPECT_FALSE(options_.model.reinit_head);
  EXPECT_FALSE(options_.run.shuffle);
}

TEST_F(OptionReaderTest, ALaterListReplacesTheEarlierOne) {
  reader_.read_config(R"({"train_data": ["a", "b"], "labels": ["x", "y"]})",
                      "c.json");
  reader_.read_command_line({{"train_data", {"c", "d", "e"}}});
  EXPECT_THAT(options_.data.train_data, ElementsAre("c", "d", "e"));
  EXPECT_THAT(options_.data.labels, ElementsAre("x", "y"));
  reader_.read_command_line({{"labels", {"[]"}}});
  EXPECT_THAT(options_.data.labels, IsEmpty());
}

TEST_F(OptionReaderTest, EveryProblemOfEverySourceIsCollected) {
  reader_.read_config(
      R"({"learning_rat": 1, "epochs": "3", "batch_size": true,
          "max_steps": 1e3, "seed": 7, "weight_decay": 11})",
      "my/c.json");
  reader_.read_platform(R"({"threads": "many", "bogus_thing": "1"})", "h.json");
  reader_.read_command_line({{"pooling", {"max"}}, {"warmup_step", {"3"}}});
  EXPECT_EQ(reader_.problems().size(), 9u) << problems();
  for (const char* text :
       {"my/c.json: \"learning_rat\": unknown option; did you mean "
        "learning_rate?",
        "my/c.json: epochs: expected a whole number from 1 to 1000000, got "
        "\"3\"",
        "my/c.json: batch_size: expected a whole number",
        "my/c.json: max_steps: expected a whole number of at least 0, got "
        "1000.0",
        "my/c.json: weight_decay: expected a number from 0 to 10, got 11",
        "h.json: threads: expected a whole number from 0 to 4096, got "
        "\"many\"",
        "h.json: \"bogus_thing\": unknown option",
        "command line: --pooling: expected auto, cls or mean, got \"max\"",
        "command line: --warmup-step: unknown option; did you mean "
        "--warmup-steps?"}) {
    EXPECT_THAT(problems(), HasSubstr(text));
  }
  try {
    reader_.throw_problems();
    FAIL() << "no exception";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.code(), ExitCode::kConfig);
    EXPECT_THAT(error.what(), HasSubstr("9 problems"));
    EXPECT_THAT(error.what(), HasSubstr("--warmup-step"));
  }
}

TEST_F(OptionReaderTest, SyntaxErrorsNameFileAndLine) {
  struct Case {
    const char* text;
    const char* expected;
  };
  for (const Case& sample :
       std::vector<Case>{{"{\"seed\": 1,\n \"epochs\": 2,\n}", "line 3"},
                         {"{\n\"seed\": 1,\n\"seed\": 2}", "line 3"},
                         {"{\n// rate\n\"seed\": 1}", "line 2"},
                         {"{\n\"learning_rate\": NaN}", "line 2"},
                         {"{\n\"learning_rate\": 1e999}", "line 2"},
                         {"{\n\"seed\": 1", "line 2"}}) {
    TrainOptions options;
    OptionReader reader(bind_fields(options));
    reader.read_config(sample.text, "bad.json");
    ASSERT_EQ(reader.problems().size(), 1u) << sample.text;
    EXPECT_THAT(reader.problems().front().text, HasSubstr("bad.json: "));
    EXPECT_THAT(reader.problems().front().text, HasSubstr(sample.expected));
  }
}

TEST_F(OptionReaderTest, ADuplicateKeyIsNamed) {
  reader_.read_config(R"({"seed": 1, "seed": 1})", "c.json");
  EXPECT_THAT(problems(), HasSubstr("\"seed\" appears twice"));
}

TEST_F(OptionReaderTest, SomethingElseThanAnObjectIsRefused) {
  for (const char* text : {"[]", "3", "null", "", "\"x\""}) {
    TrainOptions options;
    OptionReader reader(bind_fields(options));
    reader.read_config(text, "c.json");
    EXPECT_EQ(reader.problems().size(), 1u) << text;
  }
}

TEST_F(OptionReaderTest, NestedOptionsAreToldWhereTheyBelong) {
  reader_.read_config(R"({"hyper": {"learning_rat": 1e-3, "zzz": 1}})",
                      "c.json");
  EXPECT_THAT(problems(),
              HasSubstr("c.json: hyper.learning_rat: unknown option; options "
                        "are not nested, write learning_rate at the top"));
  EXPECT_THAT(problems(), HasSubstr("c.json: hyper.zzz: unknown option"));
}

TEST_F(OptionReaderTest, TheSchemaKeyIsForEditors) {
  reader_.read_config(R"({"$schema": "schema.json", "seed": 1})", "c.json");
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(options_.run.seed, 1);
}

TEST_F(OptionReaderTest, PlatformKeysOfThePlatformItselfAreSkipped) {
  reader_.read_platform(
      R"({"sagemaker_program": "\"x.py\"", "sagemaker_anything": "1",
          "_tuning_objective_metric": "f1", "default_user_module_name": "m",
          "seed": "\"-4\"", "dropout": null, "epochs": 2})",
      "h.json");
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(options_.run.seed, -4);
  EXPECT_EQ(options_.optimizer.epochs, 2);
  reader_.read_config(R"({"sagemaker_program": "x"})", "c.json");
  EXPECT_THAT(problems(), HasSubstr("sagemaker_program"));
}

TEST_F(OptionReaderTest, AnEmptyPlatformFileGivesNothing) {
  reader_.read_platform("", "h.json");
  reader_.read_platform("{}\n", "h.json");
  EXPECT_EQ(problems(), "");
  EXPECT_THAT(reader_.sources(), IsEmpty());
}

TEST_F(OptionReaderTest, RequiredOptionsAreAskedForOnce) {
  reader_.read_config(R"({"train_data": 3})", "c.json");
  reader_.check_required();
  EXPECT_THAT(problems(), HasSubstr("c.json: train_data: expected"));
  EXPECT_THAT(problems(), HasSubstr("output_dir: missing; give --output-dir"));
  EXPECT_EQ(reader_.problems().size(), 2u) << problems();
}

TEST_F(OptionReaderTest, ChecksAboutUnreadValuesAreDropped) {
  reader_.read_config(R"({"warmup_steps": "x"})", "c.json");
  reader_.add_checks({{"about both", {"warmup_ratio", "warmup_steps"}},
                      {"about another", {"devices"}},
                      {"also about it", {"devices"}}});
  EXPECT_EQ(problems().find("about both"), std::string::npos);
  EXPECT_THAT(problems(), HasSubstr("about another"));
  EXPECT_THAT(problems(), HasSubstr("also about it"));
}

TEST_F(OptionReaderTest, AnUnreadableSourceSilencesWhatItMayHold) {
  reader_.read_config("{", "c.json");
  reader_.check_required();
  reader_.add_checks({{"model: missing", {"model"}}});
  EXPECT_EQ(reader_.problems().size(), 1u) << problems();
}

TEST_F(OptionReaderTest, AFailedReadLeavesNoSource) {
  reader_.read_command_line({{"seed", {"x"}}});
  EXPECT_THAT(reader_.sources(), IsEmpty());
}

TEST(OptionsFromJsonTest, ThrowsForASavedCopyThatWasDamaged) {
  EXPECT_THROW(options_from_json<TrainOptions>("{\"seed\": }", "run.json"),
               ConfigError);
  EXPECT_THROW(options_from_json<TrainOptions>("{\"sed\": 1}", "run.json"),
               ConfigError);
}

TEST(DescribeChangesTest, NamesValuesThatTheProgramSet) {
  TrainOptions options;
  options.compute.threads = 2;
  EXPECT_THAT(describe_changes(options, {}),
              ElementsAre("threads = 2 (set by the program)"));
}

}  // namespace
}  // namespace longformer
