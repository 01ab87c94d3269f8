// SPDX-License-Identifier: MIT
#include "longformer/train/confusion_matrix.h"

#include <cmath>

namespace longformer {
namespace {

double as_double(std::int64_t count) { return static_cast<double>(count); }

std::size_t as_index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t num_classes)
    : num_classes_(num_classes),
      hits_(as_index(num_classes)),
      support_(as_index(num_classes)),
      predicted_(as_index(num_classes)) {
  if (has_counts()) counts_.resize(as_index(num_classes * num_classes));
}

void ConfusionMatrix::add(std::int64_t true_class,
                          std::int64_t predicted_class) {
  if (has_counts()) {
    ++counts_[as_index(true_class * num_classes_ + predicted_class)];
  }
  ++support_[as_index(true_class)];
  ++predicted_[as_index(predicted_class)];
  ++total_;
  if (true_class == predicted_class) {
    ++hits_[as_index(true_class)];
    ++correct_;
  }
}

std::int64_t ConfusionMatrix::count(std::int64_t true_class,
                                    std::int64_t predicted_class) const {
  return counts_[as_index(true_class * num_classes_ + predicted_class)];
}

std::int64_t ConfusionMatrix::support(std::int64_t class_index) const {
  return support_[as_index(class_index)];
}

std::int64_t ConfusionMatrix::predicted(std::int64_t class_index) const {
  return predicted_[as_index(class_index)];
}

PrecisionRecall ConfusionMatrix::of_class(std::int64_t class_index) const {
  const std::int64_t hits = hits_[as_index(class_index)];
  return precision_recall(hits, predicted(class_index) - hits,
                          support(class_index) - hits);
}

PrecisionRecall ConfusionMatrix::macro() const {
  PrecisionRecall sum;
  for (std::int64_t c = 0; c < num_classes_; ++c) sum += of_class(c);
  return sum / as_double(num_classes_);
}

PrecisionRecall ConfusionMatrix::macro_over_classes_seen() const {
  PrecisionRecall sum;
  std::int64_t seen = 0;
  for (std::int64_t c = 0; c < num_classes_; ++c) {
    if (support(c) + predicted(c) == 0) continue;
    sum += of_class(c);
    ++seen;
  }
  return seen == 0 ? sum : sum / as_double(seen);
}

PrecisionRecall ConfusionMatrix::weighted() const {
  PrecisionRecall sum;
  for (std::int64_t c = 0; c < num_classes_; ++c) {
    sum += of_class(c) * as_double(support(c));
  }
  return total_ == 0 ? sum : sum / as_double(total_);
}

double ConfusionMatrix::accuracy() const {
  return total_ == 0 ? 0 : as_double(correct_) / as_double(total_);
}

double ConfusionMatrix::balanced_accuracy() const {
  double sum = 0;
  std::int64_t present = 0;
  for (std::int64_t c = 0; c < num_classes_; ++c) {
    if (support(c) == 0) continue;
    sum += of_class(c).recall;
    ++present;
  }
  return present == 0 ? 0 : sum / as_double(present);
}

double ConfusionMatrix::matthews_correlation() const {
  // Covariances times total^2. Products are taken in double: with more than
  // 3 * 10^9 examples an integer would overflow.
  const double squared = as_double(total_) * as_double(total_);
  double truth_truth = squared;
  double answer_answer = squared;
  double truth_answer = as_double(correct_) * as_double(total_);
  for (std::int64_t c = 0; c < num_classes_; ++c) {
    const double truth = as_double(support(c));
    const double answer = as_double(predicted(c));
    truth_truth -= truth * truth;
    answer_answer -= answer * answer;
    truth_answer -= truth * answer;
  }
  if (truth_truth == 0 || answer_answer == 0) return 0;
  return truth_answer / (std::sqrt(truth_truth) * std::sqrt(answer_answer));
}

std::optional<double> ConfusionMatrix::cohen_kappa() const {
  const double total = as_double(total_);
  double chance = 0;  // Times total^2.
  for (std::int64_t c = 0; c < num_classes_; ++c) {
    chance += as_double(support(c)) * as_double(predicted(c));
  }
  const double expected_errors = total * total - chance;
  if (expected_errors == 0) return std::nullopt;
  const double errors = as_double(total_ - correct_) * total;
  return 1 - errors / expected_errors;
}

}  // namespace longformer
