// SPDX-License-Identifier: MIT
//
// Signals to the parent of a process group, and its death.
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/shell_group.h"

namespace longformer {
namespace {

using std::chrono::milliseconds;
using test::ForkedGroup;
using test::is_gone;
using test::ShellGroup;

/// Says that it is ready, counts the signals it gets, and ends with the code
/// of a process that has saved after `delay`.
std::string saver(const std::string& delay) {
  return "trap 'echo TERM >> $FOLDER/got.$NUMBER; sleep " + delay +
         "; exit 143' TERM; "
         "trap 'echo INT >> $FOLDER/got.$NUMBER; sleep " +
         delay +
         "; exit 130' INT; "
         "echo $$ > $FOLDER/ready.$NUMBER; while :; do sleep 0.05; done";
}

class StopTest : public ::testing::Test {
 protected:
  static void wait_until_ready(const ShellGroup& group) {
    group.number_in("ready.0");
    group.number_in("ready.1");
  }
};

TEST_F(StopTest, PassesSigtermOnOnce) {
  ShellGroup group(saver("0.3"), 2);
  ForkedGroup parent(group);
  wait_until_ready(group);
  parent.send(SIGTERM);
  std::this_thread::sleep_for(milliseconds(100));
  parent.send(SIGTERM);
  EXPECT_EQ(parent.wait(), 143);
  for (const char* rank : {"0", "1"}) {
    const std::string folder = group.options.environment.at("FOLDER");
    EXPECT_EQ(test::read_file(folder + "/got." + rank), "TERM\n");
  }
}

TEST_F(StopTest, PassesSigintOnAndEndsAtOnceAtTheSecond) {
  ShellGroup patient(saver("0.3"), 2);
  ForkedGroup parent(patient);
  wait_until_ready(patient);
  parent.send(SIGINT);
  EXPECT_EQ(parent.wait(), 130);

  ShellGroup slow(saver("30"), 2);
  ForkedGroup other(slow);
  wait_until_ready(slow);
  other.send(SIGINT);
  std::this_thread::sleep_for(milliseconds(100));
  other.send(SIGINT);
  EXPECT_EQ(other.wait(), 130);
  EXPECT_TRUE(is_gone(slow.number_in("ready.0")));
  EXPECT_TRUE(is_gone(slow.number_in("ready.1")));
}

TEST_F(StopTest, AClosedTerminalStopsTheGroup) {
  ShellGroup group(saver("0"), 2);
  ForkedGroup parent(group);
  wait_until_ready(group);
  parent.send(SIGHUP);
  EXPECT_EQ(parent.wait(), 128 + SIGHUP);
}

TEST_F(StopTest, WhatIsIgnoredStaysIgnored) {
  ShellGroup group(saver("0"), 2);
  const auto former = std::signal(SIGHUP, SIG_IGN);
  ForkedGroup parent(group);
  std::signal(SIGHUP, former);
  wait_until_ready(group);
  parent.send(SIGHUP);
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(std::filesystem::exists(group.options.environment.at("FOLDER") +
                                       "/got.0"));
  parent.send(SIGTERM);
  EXPECT_EQ(parent.wait(), 143);
}

TEST_F(StopTest, WhoDoesNotStopInTimeIsEndedAndNamed) {
  ShellGroup group(
      "trap '' TERM; echo $$ > $FOLDER/ready.$NUMBER; "
      "while :; do sleep 0.05; done",
      2);
  group.options.stop_grace = milliseconds(300);
  ForkedGroup parent(group);
  wait_until_ready(group);
  parent.send(SIGTERM);
  EXPECT_EQ(parent.wait(), 137);
  EXPECT_TRUE(is_gone(group.number_in("ready.0")));
}

TEST_F(StopTest, AnErrorWhileSavingIsReported) {
  ShellGroup group(
      "trap 'test $NUMBER = 1 && exit 7; sleep 0.2; exit 143' TERM;"
      "echo $$ > $FOLDER/ready.$NUMBER; "
      "while :; do sleep 0.05; done",
      2);
  ForkedGroup parent(group);
  wait_until_ready(group);
  parent.send(SIGTERM);
  EXPECT_EQ(parent.wait(), 7);
}

TEST_F(StopTest, AProcessThatWasToldByOthersStopsTheGroupInPeace) {
  // All agree to stop when one is told: the others are given their time.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const int code = 128 + signal;
    ShellGroup group("test $NUMBER = 0 && exit " + std::to_string(code) +
                         "; trap 'exit 1' TERM; sleep 0.5; exit 143",
                     2);
    group.options.failure_grace = milliseconds(50);
    const ProcessGroupResult result = group.run();
    EXPECT_EQ(result.exit_code, code);
    EXPECT_FALSE(result.failure.has_value());
  }
}

TEST_F(StopTest, ChildrenDieWithAKilledParent) {
  ShellGroup group(
      "trap '' TERM INT HUP; echo $$ > $FOLDER/ready.$NUMBER; "
      "while :; do sleep 0.05; done",
      2);
  ForkedGroup parent(group);
  wait_until_ready(group);
  parent.send(SIGKILL);
  EXPECT_EQ(parent.wait(), 137);
  EXPECT_TRUE(is_gone(group.number_in("ready.0")));
  EXPECT_TRUE(is_gone(group.number_in("ready.1")));
}

TEST_F(StopTest, ChildrenDieWithAParentKilledDuringTheStart) {
  for (int delay_ms = 0; delay_ms < 20; delay_ms += 2) {
    ShellGroup group("echo $$ > $FOLDER/ready.$NUMBER; exec sleep 88", 4);
    ForkedGroup parent(group);
    std::this_thread::sleep_for(milliseconds(delay_ms));
    parent.send(SIGKILL);
    EXPECT_EQ(parent.wait(), 137);
    std::this_thread::sleep_for(milliseconds(100));
    for (const char* name : {"ready.0", "ready.1", "ready.2", "ready.3"}) {
      const std::string path =
          group.options.environment.at("FOLDER") + "/" + name;
      if (!std::filesystem::exists(path)) continue;
      if (std::filesystem::file_size(path) == 0) continue;
      EXPECT_TRUE(is_gone(group.number_in(name))) << name;
    }
  }
}

}  // namespace
}  // namespace longformer
