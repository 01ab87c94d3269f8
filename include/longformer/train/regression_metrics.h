// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "longformer/train/metrics_report.h"

namespace longformer {

/// What a regression model answered, example by example.
struct RegressionAnswers {
  std::int64_t num_targets = 1;
  std::span<const double> predictions;  ///< [N, D], row after row.
  std::span<const double> labels;       ///< [N, D].
  std::span<const std::string> names;   ///< [D], or empty.
  std::optional<double> loss;           ///< Reported as it is, if given.
};

/// Mean squared error and its root, mean absolute error, R2, Pearson's and
/// Spearman's correlation (ties get their mean rank). With several targets
/// each number is the mean over the targets, and "per_target" holds theirs.
///
/// R2 is undefined where the truth is constant, the correlations where either
/// side is; all are if a prediction is not finite, with the example named.
///
/// Throws DataError without examples or for a label that is not finite, and
/// std::invalid_argument if the sizes disagree. Cost: O(D N log N).
MetricsReport regression_metrics(const RegressionAnswers& answers);

/// Pearson's correlation of two series of equal length; empty with fewer than
/// two examples or when a side is constant. Requires finite numbers.
std::optional<double> pearson_correlation(std::span<const double> first,
                                          std::span<const double> second);

/// Pearson's correlation of the ranks, ties getting their mean rank.
std::optional<double> spearman_correlation(std::span<const double> first,
                                           std::span<const double> second);

}  // namespace longformer
