// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace longformer {

/// Precision, recall and their harmonic mean; 0 where nothing was predicted
/// or nothing was true.
struct PrecisionRecall {
  double precision = 0;
  double recall = 0;
  double f1 = 0;

  PrecisionRecall& operator+=(const PrecisionRecall& other);
  PrecisionRecall operator*(double factor) const;
  PrecisionRecall operator/(double divisor) const;
};

/// From the counts of true positives, false positives and false negatives.
PrecisionRecall precision_recall(std::int64_t true_positives,
                                 std::int64_t false_positives,
                                 std::int64_t false_negatives);

}  // namespace longformer
