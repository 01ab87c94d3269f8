// SPDX-License-Identifier: MIT
#include "longformer/train/rank_load.h"

#include <gmock/gmock.h>

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BalanceWatchTest : public testing::Test {
 protected:
  /// Steps in which rank i computes for so many seconds in so many bytes.
  void add(int steps, const std::vector<double>& seconds,
           const std::vector<std::int64_t>& bytes) {
    std::vector<RankLoad> ranks(seconds.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] = {seconds[i], 0, 0, bytes[i]};
    }
    for (int i = 0; i < steps; ++i) watch_.add(ranks);
  }

  std::vector<std::string> lines_;
  BalanceWatch watch_{
      [this](std::string_view line) { lines_.emplace_back(line); },
      /*least_steps=*/4, /*least_seconds=*/4};
};

TEST(RankLoadTest, BusyIsTheShareOfComputing) {
  EXPECT_DOUBLE_EQ((RankLoad{3, 0.5, 0.5, 0}).busy(), 0.75);
  EXPECT_DOUBLE_EQ(RankLoad().busy(), 1);
}

TEST_F(BalanceWatchTest, ARankWithMoreTimeThanTheMeanIsNamed) {
  add(4, {1, 1, 1.6}, {100, 100, 100});
  EXPECT_THAT(lines_,
              ElementsAre(AllOf(HasSubstr("rank 2 computed 33 % more than the "
                                          "mean of all 3 ranks"),
                                HasSubstr("last 4 steps"))));
}

TEST_F(BalanceWatchTest, ARankWithMoreMemoryThanTheMeanIsNamed) {
  add(4, {1, 1, 1, 1}, {100, 180, 100, 100});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("rank 1 used memory 50 % more")));
}

TEST_F(BalanceWatchTest, FifteenPercentAreEven) {
  add(20, {1.14, 0.86}, {114, 86});
  EXPECT_TRUE(lines_.empty());
}

TEST_F(BalanceWatchTest, SingleStepsDoNotCount) {
  // Uneven each, even together.
  for (int i = 0; i < 10; ++i) {
    add(1, {2, 1}, {100, 100});
    add(1, {1, 2}, {100, 100});
  }
  EXPECT_TRUE(lines_.empty());
  // Nor do many that are too short to be measured.
  add(40, {0.04, 0.01}, {100, 100});
  EXPECT_TRUE(lines_.empty());
}

TEST_F(BalanceWatchTest, OneWarningIsEnoughUntilItIsEvenAgain) {
  add(40, {1, 2}, {100, 100});
  EXPECT_EQ(lines_.size(), 1U);
  add(4, {1, 1}, {100, 100});
  add(40, {1, 2}, {100, 100});
  EXPECT_EQ(lines_.size(), 2U);
  add(4, {2, 1}, {100, 100});
  EXPECT_EQ(lines_.size(), 3U);
}

TEST_F(BalanceWatchTest, OneRankIsAlwaysEven) {
  add(40, {1}, {100});
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace longformer
