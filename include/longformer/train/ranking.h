// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

namespace longformer {

/// A score for "positive" and whether the example is positive.
struct ScoredExample {
  double score = 0;
  bool positive = false;
};

/// How well scores put positive examples first.
struct RankingQuality {
  /// Area under the ROC curve: the share of (positive, negative) pairs in the
  /// right order, ties counting one half. Empty without a positive or without
  /// a negative example.
  std::optional<double> auroc;
  /// sum (R_n - R_{n-1}) P_n over distinct thresholds, without interpolation.
  /// Empty without a positive example.
  std::optional<double> average_precision;
};

/// Requires finite scores. Cost: O(N log N), sorting in place.
RankingQuality ranking_quality(std::vector<ScoredExample> examples);

}  // namespace longformer
