// SPDX-License-Identifier: MIT
//
// A job that fails says why in output/failure, whoever failed and however.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sagemaker_tree.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SageMakerFailureTest : public SageMakerJobTest {
 protected:
  /// A job that takes long enough to be interfered with.
  SageMakerTree make_long_job() const {
    const SageMakerTree tree = make_tree("ml", 2);
    Json values = hyperparameters(2);
    values["max_steps"] = 100000;
    tree.write_hyperparameters(values);
    return tree;
  }

  static bool has_begun(const SageMakerTree& tree) {
    return std::filesystem::exists(tree.path("checkpoints/step-000002"));
  }
};

TEST_F(SageMakerFailureTest, AProcessThatIsKilledIsNamedWithTheSignal) {
  const SageMakerTree tree = make_long_job();
  const auto program = start_in(tree);
  ASSERT_TRUE(program->wait_until([&] { return has_begun(tree); }))
      << program->log_text();
  const auto victim = process_with(program->id(), "LONGFORMER_RANK=1");
  ASSERT_TRUE(victim);
  kill(*victim, SIGKILL);
  EXPECT_EQ(program->wait(), 128 + SIGKILL);
  EXPECT_THAT(tree.failure(),
              AllOf(StartsWith("rank 1 was ended by signal 9 (Killed)"),
                    HasSubstr("output/data/logs/rank_1.log")));
  EXPECT_THAT(program->log_text(), HasSubstr(tree.failure()));
}

// training-toolkit 204: the job ended well although it had not.
TEST_F(SageMakerFailureTest, ABadHyperparameterIsTheReason) {
  const SageMakerTree tree = make_tree("ml", 1);
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, Json>>{{"epochs", "three"},
                                                 {"learning_rate", "1e400"},
                                                 {"lerning_rate", "1e-5"},
                                                 {"shuffle", "yes"}}) {
    tree.write_hyperparameters({{name, value}});
    EXPECT_EQ(run_in(tree).exit_code, 2) << name;
    EXPECT_THAT(tree.failure(),
                AllOf(HasSubstr("hyperparameters.json"), HasSubstr(name)));
  }
}

TEST_F(SageMakerFailureTest, BadDataIsTheReasonAndSaidOnce) {
  const SageMakerTree tree = make_tree("ml", 2);
  tree.write("input/data/train/train.jsonl",
             "{\"input_ids\": \"\xff\", \"label\": \"no\"}\n");
  const RunResult result = run_in(tree);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(tree.failure(),
              AllOf(StartsWith("rank 0: "), HasSubstr("train.jsonl")));
  const std::string& log = result.standard_error;
  EXPECT_THAT(log, HasSubstr(" E " + tree.failure()));
  EXPECT_EQ(log.find(" E "), log.rfind(" E ")) << log;
  // It is in the log of the rank as well.
  EXPECT_THAT(read_file(tree.path("output/data/logs/rank_0.log")),
              HasSubstr(tree.failure().substr(8, 60)));
}

TEST_F(SageMakerFailureTest, WhatThePlatformGotWrongIsTheReason) {
  const SageMakerTree tree = make_tree("ml", 1);
  tree.write("input/config/resourceconfig.json", "{");
  EXPECT_EQ(run_in(tree).exit_code, 2);
  EXPECT_THAT(tree.failure(), HasSubstr("resourceconfig.json: not valid JSON"));
  tree.write("input/config/resourceconfig.json",
             R"({"current_host": "a", "hosts": ["a", "b"]})");
  tree.write("input/config/inputdataconfig.json",
             R"({"train": {"S3DistributionType": "ShardedByS3Key"},
                 "model": {}})");
  EXPECT_EQ(run_in(tree).exit_code, 2);
  EXPECT_THAT(tree.failure(), AllOf(StartsWith("channel train: "),
                                    HasSubstr("FullyReplicated")));
}

TEST_F(SageMakerFailureTest, WithoutAPlaceForTheReasonTheCodeStillSaysIt) {
  const SageMakerTree tree = make_tree("ml", 1);
  std::filesystem::remove_all(tree.path("output"));
  tree.write("output", "a file");
  tree.write_hyperparameters({{"epochs", "three"}});
  const RunResult result = run_in(tree);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("epochs"), HasSubstr("could not be handed on")));
}

TEST_F(SageMakerFailureTest, BeingStoppedIsNoFailure) {
  const SageMakerTree tree = make_long_job();
  const auto program = start_in(tree);
  ASSERT_TRUE(program->wait_until([&] { return has_begun(tree); }))
      << program->log_text();
  program->send(SIGTERM);
  EXPECT_EQ(program->wait(), 143) << program->log_text();
  EXPECT_EQ(tree.failure(), "");
  // What there is of a model is kept.
  EXPECT_TRUE(std::filesystem::exists(tree.path("model/model.safetensors")));
}

TEST_F(SageMakerFailureTest, WhoWaitsForAPipeCanBeStopped) {
  const SageMakerTree tree = make_tree("ml", 1);
  tree.write("input/config/inputdataconfig.json",
             R"({"train": {"TrainingInputMode": "Pipe"}, "model": {}})");
  const auto program = start_in(tree);
  ASSERT_TRUE(program->wait_until([&] {
    return program->log_text().find("waiting until it is there") !=
           std::string::npos;
  })) << program->log_text();
  program->send(SIGTERM);
  EXPECT_EQ(program->wait(), 143) << program->log_text();
  EXPECT_EQ(tree.failure(), "");
  EXPECT_TRUE(std::filesystem::is_empty(tree.path("tmp")));
}

}  // namespace
}  // namespace longformer::test
