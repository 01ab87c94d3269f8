// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longformer/train/precision_recall.h"

namespace longformer {

/// Counts of (true class, predicted class) pairs and what follows from them.
///
/// Invariants: rows are true classes, columns predicted ones; row and column
/// sums are kept up to date.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::int64_t num_classes);

  /// Requires both to be in [0, num_classes).
  void add(std::int64_t true_class, std::int64_t predicted_class);

  std::int64_t num_classes() const { return num_classes_; }
  std::int64_t total() const { return total_; }
  std::int64_t correct() const { return correct_; }
  /// Whether pairs are counted; with more than 1,000 classes the table would
  /// take more memory than the data.
  bool has_counts() const { return num_classes_ <= 1000; }
  /// Requires has_counts().
  std::int64_t count(std::int64_t true_class,
                     std::int64_t predicted_class) const;
  /// Number of examples whose true class it is.
  std::int64_t support(std::int64_t class_index) const;
  /// Number of examples for which it was predicted.
  std::int64_t predicted(std::int64_t class_index) const;

  PrecisionRecall of_class(std::int64_t class_index) const;
  /// Mean over all classes; absent ones count 0.
  PrecisionRecall macro() const;
  /// Mean over the classes seen in truth or predictions.
  PrecisionRecall macro_over_classes_seen() const;
  /// Mean weighted by support.
  PrecisionRecall weighted() const;
  double accuracy() const;
  /// Mean recall over the classes present in the truth.
  double balanced_accuracy() const;
  /// Gorodkin's correlation for several classes ("R_K", Comput. Biol. Chem.
  /// 28, 2004); 0 where it is 0/0.
  double matthews_correlation() const;
  /// Cohen's kappa; empty where chance agreement is complete (0/0).
  std::optional<double> cohen_kappa() const;

 private:
  std::int64_t num_classes_;
  std::int64_t total_ = 0;
  std::int64_t correct_ = 0;
  std::vector<std::int64_t> counts_;     // [C, C], if has_counts()
  std::vector<std::int64_t> hits_;       // [C]
  std::vector<std::int64_t> support_;    // [C]
  std::vector<std::int64_t> predicted_;  // [C]
};

}  // namespace longformer
