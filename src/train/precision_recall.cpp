// SPDX-License-Identifier: MIT
#include "longformer/train/precision_recall.h"

namespace longformer {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return 0;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

PrecisionRecall& PrecisionRecall::operator+=(const PrecisionRecall& other) {
  precision += other.precision;
  recall += other.recall;
  f1 += other.f1;
  return *this;
}

PrecisionRecall PrecisionRecall::operator*(double factor) const {
  return {precision * factor, recall * factor, f1 * factor};
}

PrecisionRecall PrecisionRecall::operator/(double divisor) const {
  return {precision / divisor, recall / divisor, f1 / divisor};
}

PrecisionRecall precision_recall(std::int64_t true_positives,
                                 std::int64_t false_positives,
                                 std::int64_t false_negatives) {
  // F1 from the counts, not from the other two: no rounding of a quotient.
  return {share(true_positives, true_positives + false_positives),
          share(true_positives, true_positives + false_negatives),
          share(2 * true_positives,
                2 * true_positives + false_positives + false_negatives)};
}

}  // namespace longformer
