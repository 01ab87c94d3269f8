// SPDX-License-Identifier: MIT
//
// Who gives the folder around a model is told where the model is, or shown it.
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

class ModelPlaceTest : public ProgramTest {
 protected:
  ModelPlaceTest() {
    write_model("tiny", no_yes_config(1));
    write("rows.jsonl", toy_rows({9, 30, 5, 8}, {"no", "yes"}));
    run_well({"train", "--model", "tiny", "--train-data", "rows.jsonl",
              "--output-dir", "run", "--max-steps", "2", "--checkpoint-every",
              "1"});
  }
};

TEST_F(ModelPlaceTest, TheModelOfARunIsPointedTo) {
  const std::string step = "run/checkpoints/step-000002";
  const std::vector<std::pair<std::string, std::string>> places{
      {"run", "run/model"},
      {"run/checkpoints", step + "/model"},
      {step, step + "/model"}};
  for (const auto& [place, model] : places) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"predict", "--data", "rows.jsonl", "--model",
                                   place},
          {"evaluate", "--data", "rows.jsonl", "--model", place},
          {"convert", "--output", "out", "--input", place}}) {
      const RunResult result = run(command);
      EXPECT_EQ(result.exit_code, 4);
      EXPECT_THAT(result.standard_error,
                  AllOf(HasSubstr("its model is " + model + ": give that"),
                        Not(HasSubstr("rename"))));
    }
    const RunResult shown = run({"inspect", place});
    EXPECT_EQ(shown.exit_code, 0) << shown.standard_error;
    EXPECT_THAT(shown.standard_output,
                AllOf(HasSubstr("labels: no, yes"), HasSubstr(model)));
  }
}

TEST_F(ModelPlaceTest, TheConfigOfAModelStandsForTheModel) {
  EXPECT_EQ(run({"inspect", "run/model/config.json"}).standard_output,
            run({"inspect", "run/model"}).standard_output);
}

TEST_F(ModelPlaceTest, ARunWithoutModelShowsItsNewestCheckpoint) {
  std::filesystem::remove_all(path("run/model"));
  EXPECT_THAT(run({"inspect", "run"}).standard_output,
              HasSubstr("step-000002/model"));
  std::filesystem::remove_all(path("run/checkpoints"));
  const RunResult nothing = run({"inspect", "run"});
  EXPECT_EQ(nothing.exit_code, 4);
  EXPECT_THAT(nothing.standard_error, HasSubstr("no model yet"));
}

}  // namespace
}  // namespace longformer::test
