// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/launch/process_group_parent.h"

#include "launch/shell_group.h"

namespace longformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::is_gone;
using test::ShellGroup;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ProcessGroupTest, EndsWithZeroWhenAllDo) {
  ShellGroup group("echo rank $NUMBER; echo error >&2", 3);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(result.failure.has_value());
  EXPECT_EQ(group.log(1), "rank 1\nerror\n");
  EXPECT_EQ(group.log(2), "rank 2\nerror\n");
  // Only the first one's is shown.
  EXPECT_EQ(group.output(), "rank 0\n");
  EXPECT_EQ(group.error(), "error\n");
  EXPECT_THAT(group.log(0), AllOf(HasSubstr("rank 0\n"), HasSubstr("error\n")));
}

TEST(ProcessGroupTest, ReportsTheFirstFailureAndStopsTheOthers) {
  ShellGroup group(
      "case $NUMBER in 1) printf '3\\nrow 7 is broken' > "
      "/dev/fd/$LONGFORMER_REPORT_FD;"
      " exit 3;; *) sleep 60;; esac",
      3);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 3);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_EQ(result.failure->message, "row 7 is broken");
  EXPECT_LT(group.duration(), seconds(5));
  EXPECT_THAT(
      describe(*result.failure),
      AllOf(HasSubstr("rank 1: row 7 is broken"), HasSubstr("rank_1.log")));
}

// Who shares its terminal with the parent leaves it to the parent.
TEST(ProcessGroupTest, AddsTheReportOfTheFirstToItsLogOnly) {
  ShellGroup group(
      "case $NUMBER in 0) printf '3\\nrow 7 is broken' > "
      "/dev/fd/$LONGFORMER_REPORT_FD; echo before >&2;"
      " exit 3;; *) sleep 60;; esac",
      2);
  EXPECT_EQ(group.run().failure->message, "row 7 is broken");
  EXPECT_EQ(group.log(0), "before\nrow 7 is broken\n");
  EXPECT_EQ(group.error(), "before\n");
}

TEST(ProcessGroupTest, TakesTheLastLineOfTheLogWithoutAReport) {
  ShellGroup group(
      "case $NUMBER in 1) echo gone wrong >&2; echo; exit 4;; "
      "*) sleep 60;; esac",
      2);
  group.write_log(1, "line of an earlier run\n");
  EXPECT_EQ(group.run().failure->message, "gone wrong");
  EXPECT_EQ(group.log(1), "line of an earlier run\ngone wrong\n\n");
  ShellGroup silent("exit 5", 1);
  silent.write_log(0, "line of an earlier run\n");
  const ProcessGroupResult result = silent.run();
  EXPECT_EQ(result.failure->message, "");
  EXPECT_THAT(describe(*result.failure), HasSubstr("exit code 5"));
}

TEST(ProcessGroupTest, ExitCodesOfSignalsAre128AndTheNumber) {
  for (const int number : {SIGKILL, SIGSEGV, SIGTERM, SIGUSR1}) {
    ShellGroup group("test $NUMBER = 0 && exec sleep 60; kill -" +
                         std::to_string(number) + " $$",
                     2);
    const ProcessGroupResult result = group.run();
    EXPECT_EQ(result.exit_code, 128 + number);
    EXPECT_EQ(result.failure->rank, 1);
    EXPECT_EQ(result.failure->signal, number);
    EXPECT_THAT(describe(*result.failure),
                HasSubstr("signal " + std::to_string(number)));
    EXPECT_LT(group.duration(), seconds(5)) << number;
  }
}

TEST(ProcessGroupTest, KillsAProcessThatIgnoresSigterm) {
  ShellGroup group(
      "case $NUMBER in "
      "1) until test -e $FOLDER/ready; do sleep 0.01; done; exit 9;; "
      "*) trap '' TERM; touch $FOLDER/ready; while :; do sleep 1; done;; esac",
      2);
  group.options.failure_grace = milliseconds(300);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 9);
  EXPECT_GE(group.duration(), milliseconds(250));
  EXPECT_LT(group.duration(), seconds(4));
}

TEST(ProcessGroupTest, KillsAProcessThatIsStopped) {
  ShellGroup group("test $NUMBER = 0 && kill -STOP $$; sleep 0.2; exit 9", 2);
  group.options.failure_grace = milliseconds(200);
  EXPECT_EQ(group.run().exit_code, 9);
  EXPECT_LT(group.duration(), seconds(4));
}

TEST(ProcessGroupTest, WaitsForABetterReasonThanAFailureElsewhere) {
  ShellGroup group(
      "case $NUMBER in 0) exit 6;; 1) sleep 0.3; exit 5;; "
      "*) sleep 60;; esac",
      3);
  group.options.peer_grace = milliseconds(4000);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_LT(group.duration(), seconds(5));
}

TEST(ProcessGroupTest, AFailureElsewhereCountsWhenThereIsNoBetterReason) {
  // Rank 1 does not answer; what it says when it is stopped is no reason.
  ShellGroup group(
      "test $NUMBER = 0 && exit 6; trap 'exit 1' TERM; "
      "while :; do sleep 0.1; done",
      2);
  group.options.peer_grace = milliseconds(200);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.failure->rank, 0);
  EXPECT_EQ(result.exit_code, 6);
}

TEST(ProcessGroupTest, NamesWhoLeftTooEarly) {
  ShellGroup group("test $NUMBER = 1 && exit 0; sleep 0.3; exit 6", 2);
  EXPECT_THAT(group.run().failure->message,
              HasSubstr("already finished: rank 1"));
}

TEST(ProcessGroupTest, EndsWhatAProcessLeavesBehind) {
  ShellGroup group("sleep 77 & echo $! > $FOLDER/left.$NUMBER; exit 0", 2);
  EXPECT_EQ(group.run().exit_code, 0);
  // The leftover of the first also holds the pipe: nobody waits for it.
  EXPECT_LT(group.duration(), seconds(5));
  for (const char* name : {"left.0", "left.1"}) {
    EXPECT_TRUE(is_gone(group.number_in(name))) << name;
  }
}

TEST(ProcessGroupTest, LeavesNoZombies) {
  ShellGroup group("exit 0", 4);
  EXPECT_EQ(group.run().exit_code, 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProcessGroupTest, SurvivesAProcessThatClosesItsOutput) {
  ShellGroup group("exec >&- 2>&-; sleep 0.3; exit 11", 1);
  const auto before = test::processor_time();
  EXPECT_EQ(group.run().exit_code, 11);
  // Without spinning on the closed pipe.
  EXPECT_LT(test::processor_time() - before, milliseconds(150));
}

TEST(ProcessGroupTest, CopiesABurstCompletely) {
  ShellGroup group(
      "test $NUMBER = 1 && exit; "
      "yes 0123456789abcde | head -c 524288; exit 0",
      2);
  EXPECT_EQ(group.run().exit_code, 0);
  EXPECT_EQ(group.output().size(), 524288U);
  EXPECT_EQ(group.log(0), group.output());
}

TEST(ProcessGroupTest, ABurstBeforeAFailureIsNotLost) {
  ShellGroup group("yes 0123456789abcde | head -c 524288; echo end; exit 3", 1);
  EXPECT_EQ(group.run().failure->message, "end");
  EXPECT_EQ(group.output().size(), 524292U);
}

TEST(ProcessGroupTest, GoesOnWhenNobodyReadsTheOutput) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  ShellGroup group("yes | head -c 300000; exit 12", 1);
  group.options.output_descriptor = ends[1];
  const ProcessGroupResult result = group.run();
  close(ends[1]);
  EXPECT_EQ(result.exit_code, 12);
  EXPECT_EQ(group.log(0).size(), 300000U);
}

TEST(ProcessGroupTest, IsNotHeldUpByATerminalThatTakesNothing) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ShellGroup group("test $NUMBER = 0 && exec yes; sleep 0.3; exit 13", 2);
  group.options.output_descriptor = ends[1];
  group.options.failure_grace = milliseconds(500);
  const ProcessGroupResult result = group.run();
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(result.exit_code, 13);
  EXPECT_LT(group.duration(), seconds(6));
}

TEST(ProcessGroupTest, TheLogKeepsTheLastStateOfARewrittenLine) {
  ShellGroup group(
      "printf '\\r\\033[Kstep 1\\r\\r\\033[Kstep 2\\r\\r\\033[Kmessage\\n'; "
      "printf 'dos\\r\\n'; printf '\\r\\033[Kstep 3'",
      1);
  EXPECT_EQ(group.run().exit_code, 0);
  EXPECT_EQ(group.log(0), "message\ndos\nstep 3\n");
  EXPECT_THAT(group.output(), HasSubstr("step 1"));
}

TEST(ProcessGroupTest, ProcessesReadNothingAndLeadTheirGroups) {
  ShellGroup group("cat; ps -o pgid= -p $$ | tr -d ' '; echo $$", 1);
  EXPECT_EQ(group.run().exit_code, 0);
  const std::string output = group.output();
  EXPECT_EQ(output.substr(0, output.size() / 2),
            output.substr(output.size() / 2));
}

TEST(ProcessGroupTest, PassesDescriptorsOnToTheirRankOnly) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ShellGroup group(
      "test -e /proc/$$/fd/" + std::to_string(ends[1]) + " && exit 0; exit 1",
      2);
  group.options.ranks[0].inherited = {ends[1]};
  EXPECT_EQ(group.run().failure->rank, 1);
  // The parent has not kept it.
  EXPECT_EQ(fcntl(ends[1], F_GETFD), -1);
  close(ends[0]);
}

TEST(ProcessGroupTest, RestoresTheHandlingOfSignals) {
  ShellGroup group("exit 0", 1);
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  EXPECT_EQ(group.run().exit_code, 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
  }
}

TEST(ProcessGroupTest, ChildrenHaveTheUsualHandlingOfSignals) {
  ShellGroup group("exec grep -E '^Sig(Blk|Ign)' /proc/self/status", 1);
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(group.run().exit_code, 0);
  EXPECT_EQ(group.output(),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(ProcessGroupTest, WhatCannotBeStartedIsAnError) {
  ShellGroup group("exit 0", 2);
  group.options.program = "/nonexistent/program";
  EXPECT_THROW(group.run(), SystemError);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  ShellGroup no_log("exit 0", 1);
  no_log.options.log_directory = "/proc/none";
  EXPECT_THROW(no_log.run(), SystemError);
}

}  // namespace
}  // namespace longformer
