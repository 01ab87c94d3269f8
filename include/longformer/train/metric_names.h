// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "longformer/config/task.h"

namespace longformer {

/// A number of a MetricsReport by which models can be compared.
struct MetricName {
  std::string_view name;
  bool larger_is_better = true;
};

/// The metrics that `best_metric` may name for a problem. `num_labels` decides
/// whether those of two classes ("auroc") or of more ("top2_accuracy") are
/// among them. Every one is a key of that problem's report.
std::vector<MetricName> metric_names(ProblemType problem_type,
                                     std::int64_t num_labels);

/// The metric that decides which model is best when none is asked for:
/// f1_macro for classification (every class counts alike, whatever its share),
/// loss for regression.
std::string_view default_best_metric(ProblemType problem_type);

/// Whether a model with more of `name` is the better one.
/// Throws std::invalid_argument for a name that no problem has.
bool larger_is_better(std::string_view name);

/// Throws ConfigError, naming the closest valid metric and all of them, when
/// `name` is not one of metric_names(problem_type, num_labels).
void check_best_metric(std::string_view name, ProblemType problem_type,
                       std::int64_t num_labels);

/// The same while less is known: whether any number of labels has the metric,
/// and any problem without `problem_type`.
void check_metric_exists(std::string_view name,
                         std::optional<ProblemType> problem_type);

}  // namespace longformer
