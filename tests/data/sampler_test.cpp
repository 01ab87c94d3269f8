// SPDX-License-Identifier: MIT
#include "longformer/data/sampler.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// A resumed run on another machine, or with another release, must go on in the
// same order: these numbers may not change.
TEST(EpochOrderTest, NeverChanges) {
  EXPECT_THAT(epoch_order(10, 42, 0, true),
              ElementsAre(0, 4, 2, 6, 3, 1, 9, 8, 5, 7));
  EXPECT_THAT(epoch_order(10, 42, 1, true),
              ElementsAre(7, 0, 3, 6, 4, 9, 8, 5, 1, 2));
}

TEST(EpochOrderTest, IsAPermutation) {
  auto order = epoch_order(1000, 7, 3, true);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  EXPECT_THAT(order, ElementsAreArray(epoch_order(1000, 7, 3, false)));
}

TEST(EpochOrderTest, IsThatOfTheFileWithoutShuffling) {
  EXPECT_THAT(epoch_order(4, 7, 3, false), ElementsAre(0, 1, 2, 3));
}

TEST(EpochOrderTest, PutsEveryDocumentAnywhereEquallyOften) {
  std::vector<int> first(5);
  for (int epoch = 0; epoch < 5000; ++epoch) {
    ++first[static_cast<std::size_t>(epoch_order(5, 1, epoch, true)[0])];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 130);
}

TEST(SamplerTest, UsesTheShortLastBatch) {
  Sampler sampler(10, 4, 0, false);
  EXPECT_EQ(sampler.steps_per_epoch(), 3);
  EXPECT_THAT(sampler.rows({0, 0}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sampler.rows({0, 2}), ElementsAre(8, 9));
  EXPECT_EQ(Sampler(3, 16, 0, false).steps_per_epoch(), 1);
}

TEST(SamplerTest, CountsStepsOverEpochs) {
  const Sampler sampler(10, 4, 0, true);
  DataPosition position;
  for (std::int64_t step = 0; step < 8; ++step) {
    EXPECT_EQ(sampler.position_of(step), position);
    position = sampler.next(position);
  }
  EXPECT_EQ(position, (DataPosition{2, 2}));
}

// Known failures R21 and R22: a resumed run repeated or lost documents.
TEST(SamplerTest, GoesOnAnywhereWithTheVeryNextDocument) {
  Sampler uninterrupted(20, 3, 5, true);
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> resumed;
  for (std::int64_t step = 0; step < 21; ++step) {
    const auto rows = uninterrupted.rows(uninterrupted.position_of(step));
    expected.insert(expected.end(), rows.begin(), rows.end());
    Sampler fresh(20, 3, 5, true);
    const auto again = fresh.rows(fresh.position_of(step));
    resumed.insert(resumed.end(), again.begin(), again.end());
  }
  EXPECT_EQ(expected, resumed);
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(std::set<std::int64_t>(expected.begin() + epoch * 20,
                                     expected.begin() + epoch * 20 + 20)
                  .size(),
              20U);
  }
}

TEST(SamplerTest, RefusesWhatIsNotThere) {
  Sampler sampler(10, 4, 0, true);
  EXPECT_THROW(sampler.rows({0, 3}), std::out_of_range);
  EXPECT_THROW(Sampler(0, 4, 0, true), std::invalid_argument);
  EXPECT_THROW(Sampler(4, 0, 0, true), std::invalid_argument);
}

}  // namespace
}  // namespace longformer::test
