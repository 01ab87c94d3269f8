// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "longformer/train/metrics_report.h"

namespace longformer {

/// What a single-label classifier answered, example by example.
struct SingleLabelAnswers {
  std::int64_t num_classes = 0;
  std::span<const double> probabilities;  ///< [N, C], row after row.
  std::span<const std::int64_t> labels;   ///< [N], each in [0, C).
  std::span<const std::string> names;     ///< [C], or empty.
  std::optional<double> loss;             ///< Reported as it is, if given.
};

/// The predicted class: the largest probability, the lowest index on a tie.
std::int64_t most_probable_class(std::span<const double> probabilities);

/// Accuracy, balanced accuracy, precision/recall/F1 (micro, macro over all
/// classes, over the classes seen, weighted), per-class table, MCC, Cohen's
/// kappa, confusion matrix, log loss, Brier score, AUROC and average precision
/// (one against the rest; of class 1 when there are two), calibration error
/// with 10 and 15 bins.
///
/// The log loss clips probabilities to [eps, 1 - eps], eps = 2.2e-16; nothing
/// is renormalised. If a probability is not a number in [0, 1], everything
/// computed from the answers is undefined, with the example named.
///
/// Throws DataError without examples or for a label outside [0, C), and
/// std::invalid_argument if the sizes disagree. Cost: O(C N log N) time, O(N)
/// memory beyond the answers.
MetricsReport single_label_metrics(const SingleLabelAnswers& answers);

}  // namespace longformer
