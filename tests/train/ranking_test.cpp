// SPDX-License-Identifier: MIT
#include "longformer/train/ranking.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/random.h"

namespace longformer {
namespace {

/// The definition: all pairs.
double auroc_by_pairs(const std::vector<ScoredExample>& examples) {
  double right = 0;
  double pairs = 0;
  for (const ScoredExample& a : examples) {
    for (const ScoredExample& b : examples) {
      if (!a.positive || b.positive) continue;
      pairs += 1;
      right += a.score > b.score ? 1 : a.score == b.score ? 0.5 : 0;
    }
  }
  return right / pairs;
}

/// The definition: one term for each distinct threshold.
double average_precision_by_thresholds(
    const std::vector<ScoredExample>& examples) {
  std::set<double, std::greater<>> thresholds;
  double positives = 0;
  for (const ScoredExample& e : examples) {
    thresholds.insert(e.score);
    positives += e.positive ? 1 : 0;
  }
  double sum = 0;
  double recall_before = 0;
  for (const double threshold : thresholds) {
    double selected = 0;
    double hits = 0;
    for (const ScoredExample& e : examples) {
      if (e.score < threshold) continue;
      selected += 1;
      hits += e.positive ? 1 : 0;
    }
    sum += (hits / positives - recall_before) * hits / selected;
    recall_before = hits / positives;
  }
  return sum;
}

std::vector<ScoredExample> random_examples(std::uint64_t stream, int count,
                                           std::uint64_t distinct_scores) {
  RandomStream random(random_key(7, RandomPurpose::kShuffle, 0), stream);
  std::vector<ScoredExample> examples;
  for (int i = 0; i < count; ++i) {
    const double score =
        static_cast<double>(random.next_below(distinct_scores));
    examples.push_back({score, random.next_below(3) == 0});
  }
  examples.push_back({0, true});
  examples.push_back({1, false});
  return examples;
}

TEST(RankingTest, AgreesWithTheDefinitionsOnRandomScoresWithTies) {
  for (std::uint64_t stream = 0; stream < 60; ++stream) {
    const auto examples =
        random_examples(stream, static_cast<int>(stream), 2 + stream / 2);
    const RankingQuality quality = ranking_quality(examples);
    EXPECT_NEAR(quality.auroc.value(), auroc_by_pairs(examples), 1e-12);
    EXPECT_NEAR(quality.average_precision.value(),
                average_precision_by_thresholds(examples), 1e-12);
  }
}

TEST(RankingTest, EqualScoresGiveOneHalfAndTheShareOfPositives) {
  const RankingQuality quality =
      ranking_quality({{0.3, true}, {0.3, false}, {0.3, false}, {0.3, false}});
  EXPECT_DOUBLE_EQ(quality.auroc.value(), 0.5);
  EXPECT_DOUBLE_EQ(quality.average_precision.value(), 0.25);
}

TEST(RankingTest, NothingIsDefinedWithoutPositiveExamples) {
  const RankingQuality quality = ranking_quality({{0.1, false}, {0.2, false}});
  EXPECT_FALSE(quality.auroc);
  EXPECT_FALSE(quality.average_precision);
  EXPECT_FALSE(ranking_quality({}).average_precision);
}

TEST(RankingTest, WithoutNegativeExamplesOnlyPrecisionIsDefined) {
  const RankingQuality quality = ranking_quality({{0.1, true}, {0.2, true}});
  EXPECT_FALSE(quality.auroc);
  EXPECT_DOUBLE_EQ(quality.average_precision.value(), 1);
}

TEST(RankingTest, AMillionExamplesTakeSecondsNotHours) {
  const auto examples =
      random_examples(1, 1'000'000, std::numeric_limits<std::uint32_t>::max());
  const auto start = std::chrono::steady_clock::now();
  const RankingQuality quality = ranking_quality(examples);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_NEAR(quality.auroc.value(), 0.5, 0.01);
  EXPECT_LT(seconds.count(), 20);
}

}  // namespace
}  // namespace longformer
