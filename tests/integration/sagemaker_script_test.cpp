// SPDX-License-Identifier: MIT
//
// scripts/sagemaker/local_test.sh, by which users try a job before they pay for
// it, with the configuration that the project offers.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SageMakerScriptTest : public JobTest {
 protected:
  RunResult local_test(const std::vector<std::string>& more) const {
    RunOptions options;
    options.working_directory = directory_.path();
    return run_program(
        (source_dir() / "scripts/sagemaker/local_test.sh").string(),
        with({"--program", longformer_binary().string(), "--work", path("ml"),
              "--channel", "train=" + path("train.jsonl"), "--channel",
              "validation=" + path("validation.jsonl"), "--channel",
              "model=" + path("tiny"), "--config",
              (source_dir() / "configs/sagemaker.json").string()},
             more),
        options);
  }
};

TEST_F(SageMakerScriptTest, RunsTheOfferedConfigurationOnOneHostAndOnTwo) {
  const RunResult one = local_test({"--set", "processes=2"});
  ASSERT_EQ(one.exit_code, 0) << one.standard_error << one.standard_output;
  EXPECT_THAT(one.standard_output,
              AllOf(HasSubstr("metric validation_accuracy="),
                    HasSubstr("model:       " + path("ml/host-1/model"))));
  const std::string model = read_file(path("ml/host-1/model/config.json"));
  std::filesystem::remove_all(path("ml"));
  const RunResult two = local_test({"--hosts", "2"});
  ASSERT_EQ(two.exit_code, 0) << two.standard_error;
  EXPECT_THAT(two.standard_error, HasSubstr("world size 2 (2 hosts x 1)"));
  EXPECT_EQ(read_file(path("ml/host-1/model/config.json")), model);
}

TEST_F(SageMakerScriptTest, ShowsTheReasonThatThePlatformWouldShow) {
  const RunResult result = local_test({"--set", "epochs=three"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_output,
              AllOf(HasSubstr("FailureReason: "),
                    HasSubstr("hyperparameters.json: epochs: expected")));
}

}  // namespace
}  // namespace longformer::test
