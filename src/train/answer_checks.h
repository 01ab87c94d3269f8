// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "longformer/base/strict_json.h"
#include "longformer/config/task.h"
#include "longformer/train/metrics_report.h"
#include "longformer/train/precision_recall.h"

namespace longformer {

/// What the metrics of the three problem types share: checks of their inputs
/// and rows of their tables.

/// Throws std::invalid_argument unless there are `width` >= 1 answers for each
/// of `num_examples`, and as many names or none; DataError without examples.
void require_sizes(std::int64_t width, std::size_t num_examples,
                   std::size_t num_answers, std::size_t num_names);

/// Throws DataError: "metrics: example 3 has the label 7, which is <why>".
[[noreturn]] void throw_bad_label(std::size_t example, const std::string& label,
                                  const std::string& why);

/// Names the first example with a probability that is not a number in [0, 1]
/// (up to rounding of single precision); empty if there is none.
std::optional<std::string> bad_probability(
    std::span<const double> probabilities, std::int64_t width);

/// Into [eps, 1 - eps], so that its logarithm is finite.
double clip_probability(double probability);

/// A report that holds the number of examples and, if given, the loss.
MetricsReport report_with_loss(std::optional<double> loss,
                               std::int64_t num_examples);

/// Marks every metric of the problem but the loss as undefined.
void add_all_undefined(ProblemType problem_type, std::int64_t num_labels,
                       const std::string& reason, MetricsReport& report);

/// {"label": 0, "name": ..., "precision": ..., "recall": ..., "f1": ...,
///  "support": ...}; no name if there are none.
Json label_row(std::int64_t label, std::span<const std::string> names,
               const PrecisionRecall& quality, std::int64_t support);

/// The number, or null.
Json null_or(std::optional<double> value);

}  // namespace longformer
