// SPDX-License-Identifier: MIT
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/rank_group.h"

namespace longformer::test {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class SeveralRanksTest : public ::testing::TestWithParam<int> {};

TEST_P(SeveralRanksTest, GiveTheGradientsOfOne) {
  expect_success({"gradients", "fp64"}, GetParam());
  expect_success({"gradients", "fp32"}, GetParam());
}

TEST_P(SeveralRanksTest, TakeTheStepsOfOne) {
  expect_success({"steps", "fp64"}, GetParam());
  expect_success({"steps", "fp32"}, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, SeveralRanksTest,
                         ::testing::Values(1, 2, 3, 4));

TEST(CompressionTest, HalvesTheBytesAndRoundsTheGradients) {
  expect_success({"compression"}, 2);
  expect_success({"compression"}, 3);
}

TEST(FailingRankTest, RefusedMemoryAnywhereEndsTheStepOnAllRanks) {
  expect_success({"refused_memory"}, 3);
}

/// The others of a group whose rank 1 is gone after step 2.
void expect_others_notice(RankGroup& group) {
  for (const int rank : {0, 2}) {
    EXPECT_THAT(group.log(rank), HasSubstr("rank 1, last seen in step 2, "));
  }
}

TEST(FailingRankTest, TheOthersNoticeAKilledOne) {
  RankGroup group({"end", std::to_string(SIGKILL)}, 3);
  group.options.failure_grace = seconds(30);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_LT(group.duration(), seconds(20));
  expect_others_notice(group);
}

TEST(FailingRankTest, TheOthersNoticeOneThatExits) {
  RankGroup group({"end", "exit"}, 3);
  group.options.failure_grace = seconds(30);
  EXPECT_EQ(group.run().exit_code, 9);
  EXPECT_LT(group.duration(), seconds(20));
  expect_others_notice(group);
}

TEST(FailingRankTest, TheOthersGiveUpOnASilentOne) {
  RankGroup group({"end", std::to_string(SIGSTOP)}, 3);
  group.options.failure_grace = seconds(5);
  EXPECT_EQ(group.run().exit_code, 6);
  EXPECT_LT(group.duration(), seconds(25));
  expect_others_notice(group);
}

}  // namespace
}  // namespace longformer::test
