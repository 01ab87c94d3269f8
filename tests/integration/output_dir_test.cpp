// SPDX-License-Identifier: MIT
//
// The directory of a run belongs to one process, and what happens to it is
// noticed before time is spent or work is lost.
#include <cerrno>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/log.h"
#include "longformer/io/fault_injection.h"
#include "longformer/train/training_setup.h"

#include "../train/tiny_model.h"
#include "background_program.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OutputDirTest : public ProgramTest {
 protected:
  OutputDirTest() {
    write_model("tiny", no_yes_config());
    write("train.jsonl", toy_rows({9, 30, 5, 77, 12, 8}, {"no", "yes"}));
  }

  std::vector<std::string> train(const std::string& steps,
                                 const std::string& resume = "none") const {
    return {"train",
            "--model",
            path("tiny"),
            "--train-data",
            path("train.jsonl"),
            "--output-dir",
            path("run"),
            "--max-steps",
            steps,
            "--resume",
            resume,
            "--checkpoint-every",
            "10",
            "--threads",
            "1"};
  }

  /// Starts an endless training and waits until it trains.
  std::unique_ptr<BackgroundProgram> start() const {
    auto program = std::make_unique<BackgroundProgram>(
        longformer_binary(), train("100000"), path("log.txt"));
    EXPECT_TRUE(program->wait_until([&] {
      return program->log_text().find("step 1/") != std::string::npos;
    })) << program->log_text();
    return program;
  }
};

TEST_F(OutputDirTest, ASecondProcessIsRefusedWhileTheFirstLives) {
  const auto first = start();
  for (const char* resume : {"none", "auto"}) {
    const RunResult second = run(train("100000", resume));
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_THAT(second.standard_error,
                AllOf(HasSubstr("output_dir: another process trains here"),
                      HasSubstr("pid "), Not(HasSubstr("training data"))));
  }
  first->send(SIGKILL);
  first->wait();
  const RunResult after = run(train("2", "auto"));
  EXPECT_EQ(after.exit_code, 0) << after.standard_error;
  EXPECT_FALSE(std::filesystem::exists(path("run/run.lock")));
}

TEST_F(OutputDirTest, RemovingItDuringTrainingIsAnErrorNotAnEmptySuccess) {
  const auto program = start();
  std::filesystem::rename(path("run"), path("elsewhere"));
  EXPECT_EQ(program->wait(), 7);
  EXPECT_THAT(program->log_text(), HasSubstr("metrics.jsonl: was removed"));
}

TEST_F(OutputDirTest, OneThatCannotBeWrittenIsNamedBeforeDataIsRead) {
  TrainOptions options;
  options.model.model = path("tiny");
  options.data.train_data = {path("train.jsonl")};
  options.run.output_dir = path("run");
  const ScopedFileFaults faults([](const FileOperation& operation) {
    return operation.path.ends_with(".lock") ? EROFS : 0;
  });
  std::string log;
  set_log_observer([&](LogLevel, std::string_view line) { log += line; });
  try {
    prepare_training(options);
    ADD_FAILURE() << "no error";
  } catch (const SystemError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("output_dir: "),
                                    HasSubstr("choose a folder that can be")));
  }
  set_log_observer({});
  EXPECT_EQ(log, "");
}

TEST_F(OutputDirTest, ATerminalThatIsClosedLeavesACheckpoint) {
  const auto program = start();
  program->send(SIGHUP);
  EXPECT_EQ(program->wait(), 129);
  EXPECT_THAT(program->log_text(), HasSubstr("--resume auto"));
  EXPECT_FALSE(std::filesystem::is_empty(path("run/checkpoints")));
}

TEST_F(OutputDirTest, TheReaderOfTheLogMayLeave) {
  RunOptions options;
  options.working_directory = directory_.path();
  const RunResult result = run_program(
      "bash",
      with({"-c", "set -o pipefail; \"$0\" \"$@\" 2>&1 | head -n 1 > first.txt",
            longformer_binary().string()},
           train("30")),
      options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(read_json_lines(path("run/metrics.jsonl")).size(), 30U);
  EXPECT_TRUE(std::filesystem::exists(path("run/model/model.safetensors")));
}

}  // namespace
}  // namespace longformer::test
