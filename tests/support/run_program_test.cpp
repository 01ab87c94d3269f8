// SPDX-License-Identifier: MIT
#include "support/run_program.h"

#include <csignal>
#include <system_error>

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace longformer::test {
namespace {

TEST(RunProgramTest, ReturnsBothStreamsAndTheExitCode) {
  const auto result =
      run_program("sh", {"-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output, "out\n");
  EXPECT_EQ(result.standard_error, "err\n");
  EXPECT_FALSE(result.killed);
}

TEST(RunProgramTest, PassesInputLargerThanAPipe) {
  const std::string input(1 << 20, 'x');
  const auto result = run_program("cat", {}, {.standard_input = input});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.standard_output, input);
}

TEST(RunProgramTest, SurvivesAProgramThatDoesNotReadItsInput) {
  const std::string input(1 << 20, 'x');
  EXPECT_EQ(run_program("true", {}, {.standard_input = input}).exit_code, 0);
}

TEST(RunProgramTest, KillsAfterTheTimeoutWithChildren) {
  // The grandchild holds the output open: only killing the group ends this.
  const auto result = run_program("sh", {"-c", "sleep 60 & wait"},
                                  {.timeout = std::chrono::seconds(1)});
  EXPECT_TRUE(result.killed);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunProgramTest, ReportsTheSignalThatEndedTheProgram) {
  const auto result = run_program("sh", {"-c", "kill -TERM $$"});
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_FALSE(result.killed);
}

TEST(RunProgramTest, SetsEnvironmentAndWorkingDirectory) {
  const TempDir dir;
  const auto result =
      run_program("sh", {"-c", "pwd; echo \"$LONGFORMER_TEST_VALUE\""},
                  {.environment = {{"LONGFORMER_TEST_VALUE", "7"}},
                   .working_directory = dir.path()});
  EXPECT_EQ(result.standard_output,
            std::filesystem::canonical(dir.path()).string() + "\n7\n");
}

TEST(RunProgramTest, ThrowsIfTheProgramDoesNotExist) {
  EXPECT_THROW(run_program("/nonexistent/program", {}), std::system_error);
}

}  // namespace
}  // namespace longformer::test
