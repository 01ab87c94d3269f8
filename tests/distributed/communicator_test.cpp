// SPDX-License-Identifier: MIT
#include "longformer/distributed/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/rank_group.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CommunicatorTest, ReducesAndBroadcasts) {
  for (const int size : {1, 2, 3}) expect_success({"collectives"}, size);
}

TEST(CommunicatorTest, FindsTheFirstFailure) {
  expect_success({"agreement"}, 3);
}

TEST(CommunicatorTest, WaitsLongerThanUsualWhereAskedTo) {
  expect_success({"late"}, 3);
}

TEST(CommunicatorTest, NamesTheRankThatDiffers) {
  RankGroup group({"difference"}, 4);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 2);
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(
        group.log(rank),
        HasSubstr("rank 2 differs, data is abd there and abc on rank 0"));
  }
}

TEST(CommunicatorTest, SaysWhoDidNotJoin) {
  RankGroup group({"wait"}, 4);
  group.options.ranks.resize(2);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(group.log(0),
              AllOf(HasSubstr("2 of 4 ranks joined within 1 s, ranks 2, 3 did "
                              "not"),
                    HasSubstr("rendezvous at 127.0.0.1:")));
  EXPECT_LT(group.duration(), std::chrono::seconds(20));
}

TEST(CommunicatorTest, RefusesARankThatIsTaken) {
  RankGroup group({"wait"}, 3);
  group.options.ranks[2].environment = group.options.ranks[1].environment;
  group.run();
  EXPECT_THAT(group.log(1) + group.log(2),
              HasSubstr("rank 1 has joined already"));
}

TEST(GradientExchangeTest, SurvivesAnExceptionBetweenTwoNodes) {
  expect_success({"escaping_failure"}, 3);
}

}  // namespace
}  // namespace longformer::test
