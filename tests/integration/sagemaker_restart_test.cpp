// SPDX-License-Identifier: MIT
//
// A job on spot instances: killed at any time, and started again in another
// container that has only what was copied of the checkpoints, file by file.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sagemaker_tree.h"

namespace longformer::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SageMakerRestartTest : public SageMakerJobTest {
 protected:
  /// Trains in a container until a checkpoint is there, and kills it.
  SageMakerTree train_and_kill() const {
    const SageMakerTree tree = make_tree("killed", 2);
    const auto program = start_in(tree);
    EXPECT_TRUE(program->wait_until([&] {
      return fs::exists(tree.path("checkpoints/step-000004"));
    })) << program->log_text();
    program->send(SIGKILL);
    program->wait();
    return tree;
  }

  /// A new container with the checkpoint of step 4 and what is left of later
  /// ones: half a file, a manifest without files, temporary names.
  SageMakerTree restore(const SageMakerTree& killed) const {
    const SageMakerTree tree = make_tree("restored", 2);
    const fs::path from = killed.path("checkpoints/step-000004");
    const fs::path folder = tree.path("checkpoints");
    fs::copy(from, folder / "step-000004", fs::copy_options::recursive);
    fs::copy(from, folder / "step-000006", fs::copy_options::recursive);
    fs::resize_file(folder / "step-000006/optimizer.safetensors", 1000);
    fs::create_directory(folder / "step-000008");
    fs::copy(from / "manifest.json", folder / "step-000008/manifest.json");
    fs::copy(from, folder / "step-000002.partial-4711-1",
             fs::copy_options::recursive);
    tree.write("checkpoints/step-000009/model/config.json", "{}");
    tree.write("checkpoints/notes.txt", "mine");
    return tree;
  }
};

TEST_F(SageMakerRestartTest, GoesOnFromTheNewestIntactCheckpoint) {
  train_reference();
  const SageMakerTree tree = restore(train_and_kill());
  const RunResult result = run_in(tree);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("step-000006: skipped"),
                                           HasSubstr("step-000009: skipped"),
                                           HasSubstr("step-000004 at step 4")));
  // Also where the best model is that of step 3, of which only the checkpoint
  // knows.
  expect_reference(tree.path("model"));
  EXPECT_EQ(read_file(tree.path("output/data/validation.json")),
            read_file(path("reference/validation.json")));
  // The metrics from before are there too.
  EXPECT_EQ(read_json_lines(tree.path("output/data/metrics.jsonl")).size(),
            read_json_lines(path("reference/metrics.jsonl")).size());
  EXPECT_TRUE(fs::exists(tree.path("checkpoints/notes.txt")));
}

TEST_F(SageMakerRestartTest, StartsAgainWhenNoCheckpointIsIntact) {
  train_reference();
  const SageMakerTree tree = make_tree("restored", 2);
  tree.write("checkpoints/step-000002/manifest.json", "{");
  const RunResult result = run_in(tree);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr("step-000002: skipped"));
  expect_reference(tree.path("model"));
}

TEST_F(SageMakerRestartTest, TheBestModelComesWithTheCheckpoint) {
  const SageMakerTree tree = restore(train_and_kill());
  EXPECT_TRUE(fs::exists(
      tree.path("checkpoints/step-000004/best_model/model.safetensors")));
  Json values = hyperparameters(2);
  values["max_steps"] = 4;  // Nothing is left to do.
  tree.write_hyperparameters(values);
  const RunResult result = run_in(tree);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(read_file(tree.path("model/model.safetensors")),
            read_file(tree.path(
                "checkpoints/step-000004/best_model/model.safetensors")));
}

}  // namespace
}  // namespace longformer::test
