// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "longformer/train/metrics_report.h"

namespace longformer {

/// What a multi-label classifier answered, example by example.
struct MultiLabelAnswers {
  std::int64_t num_labels = 0;
  std::span<const double> probabilities;  ///< [N, L], row after row.
  std::span<const double> labels;         ///< [N, L], each 0 or 1.
  std::span<const std::string> names;     ///< [L], or empty.
  std::optional<double> loss;             ///< Reported as it is, if given.
};

/// Whether a label with this probability is predicted: from one half on.
constexpr bool is_label_predicted(double probability) {
  return probability >= 0.5;
}

/// Subset accuracy, Hamming loss, precision/recall/F1 (micro, macro, weighted,
/// mean over the examples), per-label table and counts, AUROC and average
/// precision per label with their means over the labels where they are
/// defined, AUROC of all entries together, mean binary cross entropy.
///
/// The cross entropy clips probabilities to [eps, 1 - eps], eps = 2.2e-16. If
/// a probability is not a number in [0, 1], everything computed from the
/// answers is undefined, with the example named.
///
/// Throws DataError without examples or for a label other than 0 and 1, and
/// std::invalid_argument if the sizes disagree. Cost: O(L N log(L N)) time,
/// O(L N) memory.
MetricsReport multi_label_metrics(const MultiLabelAnswers& answers);

}  // namespace longformer
