// SPDX-License-Identifier: MIT
//
// Under the real torchrun, of the environment that the set-up makes.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../integration/job_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TorchrunTest : public JobTest {
 protected:
  /// torchrun's arguments for two processes of the program.
  std::vector<std::string> torchrun(
      const std::vector<std::string>& options,
      const std::vector<std::string>& arguments) const {
    const std::vector<std::string> words{"-m", "torch.distributed.run",
                                         "--standalone", "--nproc-per-node=2",
                                         "--no-python"};
    return with(with(with(words, options), {longformer_binary().string()}),
                arguments);
  }

  std::unique_ptr<BackgroundProgram> start(
      const std::vector<std::string>& options,
      const std::vector<std::string>& arguments) const {
    return std::make_unique<BackgroundProgram>(
        peer_python(), torchrun(options, arguments), path("torchrun.log"),
        Variables{{"PYTHONDONTWRITEBYTECODE", "1"},
                  {"TMPDIR", directory_.path().string()}},
        path("torchrun.out"));
  }

  /// Waits for a checkpoint of a run that takes long.
  void wait_for_checkpoint(BackgroundProgram& program,
                           const std::string& output) const {
    const auto checkpoint = path(output + "/checkpoints/step-000004");
    ASSERT_TRUE(program.wait_until([&] {
      return std::filesystem::exists(checkpoint);
    })) << program.log_text();
  }
};

TEST_F(TorchrunTest, TrainsWhatOwnProcessesTrain) {
  train_reference();
  const auto program = start({}, command("run"));
  EXPECT_EQ(program->wait(), 0) << program->log_text();
  expect_reference(path("run/model"));
  EXPECT_THAT(program->log_text(),
              HasSubstr("rank 0 of 2, started by torchrun"));
}

TEST_F(TorchrunTest, ARestartGoesOnFromTheNewestCheckpoint) {
  const std::vector<std::string> longer{"--max-steps", "60"};
  train_reference(2, longer);
  const auto program =
      start({"--max-restarts=1"},
            with(with(command("run"), longer), {"--resume", "auto"}));
  wait_for_checkpoint(*program, "run");
  const auto victim = process_with(program->id(), "RANK=1");
  ASSERT_TRUE(victim);
  kill(*victim, SIGKILL);
  EXPECT_EQ(program->wait(), 0) << program->log_text();
  EXPECT_THAT(program->log_text(), HasSubstr("resumed from"));
  expect_reference(path("run/model"));
}

TEST_F(TorchrunTest, ARestartWithoutResumeIsToldWhatToDo) {
  write("rank.sh",
        "export TORCHELASTIC_RESTART_COUNT=1 TORCHELASTIC_MAX_RESTARTS=3\n"
        "exec \"$@\"\n");
  run_well(with(command("run"), {"--max-steps", "1"}));
  auto words = torchrun({}, command("run"));
  words.insert(words.begin() + 5, {"bash", path("rank.sh")});
  BackgroundProgram program(peer_python(), words, path("torchrun.log"));
  EXPECT_NE(program.wait(), 0);
  EXPECT_THAT(program.log_text(),
              AllOf(HasSubstr("already holds a run"),
                    HasSubstr("--resume auto"), HasSubstr("restart 1 of 3")));
}

TEST_F(TorchrunTest, TheRankThatFailedIsTheRootCause) {
  const auto program =
      start({}, with(command("run"), {"--max-steps", "100000"}));
  wait_for_checkpoint(*program, "run");
  const auto victim = process_with(program->id(), "RANK=1");
  ASSERT_TRUE(victim);
  kill(*victim, SIGKILL);
  EXPECT_NE(program->wait(), 0);
  const std::string log = program->log_text();
  const std::string cause = log.substr(log.find("Root Cause"));
  EXPECT_THAT(cause, HasSubstr("rank      : 1"));
}

TEST_F(TorchrunTest, TheReasonIsInTheAgentsReport) {
  write("train.jsonl", "{\"input_ids\": \"no list\", \"label\": \"no\"}\n");
  const auto program = start({}, command("run"));
  EXPECT_NE(program->wait(), 0);
  const std::string log = program->log_text();
  const std::string cause = log.substr(log.find("Root Cause"));
  EXPECT_THAT(cause,
              AllOf(HasSubstr("rank      : 0"), HasSubstr("exitcode  : 3"),
                    HasSubstr("train.jsonl")));
}

TEST_F(TorchrunTest, BeingStoppedSavesACheckpointInTime) {
  const auto program =
      start({}, with(command("run"), {"--max-steps", "100000"}));
  wait_for_checkpoint(*program, "run");
  program->send(SIGTERM);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(program->wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
  EXPECT_THAT(program->log_text(), HasSubstr("continue with --resume auto"));
}

}  // namespace
}  // namespace longformer::test
