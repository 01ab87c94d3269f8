// SPDX-License-Identifier: MIT
#include "longformer/distributed/communicator.h"

#include <memory>

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

TEST(CommunicatorTest, AwaitsARankThatWorksLongerThanTheTimeout) {
  expect_success({"late"}, 3);
}

class LostAtWorkTest : public ::testing::Test {
 protected:
  /// Runs three ranks of which rank 1 is lost in that way; the others have to
  /// find out by themselves.
  void run(const std::string& how) {
    group_ = std::make_unique<RankGroup>(
        std::vector<std::string>{"lost_at_work", how}, 3);
    group_->options.failure_grace = std::chrono::seconds(20);
    group_->options.peer_grace = std::chrono::seconds(5);
    group_->run();
    EXPECT_LT(group_->duration(), std::chrono::seconds(60));
  }

  std::unique_ptr<RankGroup> group_;
};

TEST_F(LostAtWorkTest, AFailureIsPassedOnAtOnce) {
  run("failure");
  for (const int rank : {0, 2}) {
    EXPECT_THAT(group_->log(rank),
                HasSubstr("rank 1 failed in the long work: out of ideas"));
  }
  EXPECT_THAT(group_->log(1), HasSubstr("out of ideas (in the long work)"));
}

TEST_F(LostAtWorkTest, ARankThatIsGoneIsNamed) {
  run("exit");
  for (const int rank : {0, 2}) {
    EXPECT_THAT(group_->log(rank),
                HasSubstr("rank 1, last seen in the long work, has ended"));
  }
}

TEST_F(LostAtWorkTest, ARankThatStoppedIsNamed) {
  run("stop");
  for (const int rank : {0, 2}) {
    EXPECT_THAT(group_->log(rank),
                HasSubstr("rank 1, last seen in the long work, has been "
                          "silent for 3 s"));
  }
}

TEST(CommunicatorTest, ComparesAndCopiesReplicas) {
  expect_success({"replicas"}, 3);
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
