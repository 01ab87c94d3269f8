// SPDX-License-Identifier: MIT
#include "longformer/train/metric_names.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "longformer/base/error.h"
#include "longformer/config/nearest_name.h"

namespace longformer {
namespace {

constexpr bool kSmallerIsBetter = false;

void append_single_label(std::int64_t num_labels,
                         std::vector<MetricName>& names) {
  names.insert(names.end(), {{"accuracy"},
                             {"balanced_accuracy"},
                             {"precision_macro"},
                             {"recall_macro"},
                             {"f1_macro"},
                             {"precision_micro"},
                             {"recall_micro"},
                             {"f1_micro"},
                             {"precision_weighted"},
                             {"recall_weighted"},
                             {"f1_weighted"},
                             {"f1_macro_over_classes_seen"},
                             {"mcc"},
                             {"cohen_kappa"},
                             {"log_loss", kSmallerIsBetter},
                             {"brier_multiclass_sum", kSmallerIsBetter}});
  if (num_labels == 2) {
    names.insert(names.end(),
                 {{"auroc"}, {"average_precision"}, {"f1_binary_positive_1"}});
  }
  names.insert(names.end(), {{"auroc_ovr_macro"},
                             {"auroc_ovr_weighted"},
                             {"average_precision_macro"},
                             {"ece_10_bins", kSmallerIsBetter},
                             {"mce_10_bins", kSmallerIsBetter},
                             {"ece_15_bins", kSmallerIsBetter},
                             {"mce_15_bins", kSmallerIsBetter}});
  if (num_labels > 2) names.push_back({"top2_accuracy"});
}

void append_multi_label(std::vector<MetricName>& names) {
  names.insert(names.end(), {{"subset_accuracy"},
                             {"hamming_loss", kSmallerIsBetter},
                             {"precision_macro"},
                             {"recall_macro"},
                             {"f1_macro"},
                             {"precision_micro"},
                             {"recall_micro"},
                             {"f1_micro"},
                             {"precision_weighted"},
                             {"recall_weighted"},
                             {"f1_weighted"},
                             {"precision_samples"},
                             {"recall_samples"},
                             {"f1_samples"},
                             {"auroc_macro_over_defined"},
                             {"average_precision_macro_over_defined"},
                             {"auroc_micro"},
                             {"bce_mean", kSmallerIsBetter}});
}

void append_regression(std::vector<MetricName>& names) {
  names.insert(names.end(), {{"mse", kSmallerIsBetter},
                             {"rmse", kSmallerIsBetter},
                             {"mae", kSmallerIsBetter},
                             {"r2"},
                             {"pearson"},
                             {"spearman"}});
}

/// The metric that was probably meant, or "". Words may be in the wrong order:
/// macro_f1 finds f1_macro.
std::string probably_meant(std::string_view asked,
                           const std::vector<std::string>& names) {
  std::string nearest = nearest_name(asked, names);
  const std::size_t cut = asked.find_first_of("_- ");
  if (!nearest.empty() || cut == std::string_view::npos) return nearest;
  std::string turned(asked.substr(cut + 1));
  turned.append("_").append(asked.substr(0, cut));
  return nearest_name(turned, names);
}

}  // namespace

std::vector<MetricName> metric_names(ProblemType problem_type,
                                     std::int64_t num_labels) {
  std::vector<MetricName> names{{"loss", kSmallerIsBetter}};
  switch (problem_type) {
    case ProblemType::kSingleLabel:
      append_single_label(num_labels, names);
      break;
    case ProblemType::kMultiLabel:
      append_multi_label(names);
      break;
    case ProblemType::kRegression:
      append_regression(names);
      break;
  }
  return names;
}

namespace {

const std::vector<ProblemType> kProblemTypes{ProblemType::kSingleLabel,
                                             ProblemType::kMultiLabel,
                                             ProblemType::kRegression};

/// Metrics of these problems with any number of labels, each once.
std::vector<MetricName> all_metrics(const std::vector<ProblemType>& types) {
  std::vector<MetricName> all;
  for (const ProblemType type : types) {
    for (const std::int64_t num_labels : {2, 3}) {
      for (const MetricName& metric : metric_names(type, num_labels)) {
        const bool is_new = std::none_of(
            all.begin(), all.end(),
            [&](const MetricName& known) { return known.name == metric.name; });
        if (is_new) all.push_back(metric);
      }
    }
  }
  return all;
}

/// Throws ConfigError, which says `problem` of the name, if it is none of them.
void check_is_among(std::string_view name,
                    const std::vector<MetricName>& metrics,
                    const std::string& problem) {
  std::vector<std::string> names;
  std::string all;
  for (const MetricName& metric : metrics) {
    if (metric.name == name) return;
    names.emplace_back(metric.name);
    all.append(all.empty() ? "" : ", ").append(metric.name);
  }
  const std::string meant = probably_meant(name, names);
  throw ConfigError("best_metric: " + problem + "\"" + std::string(name) +
                    "\"; " +
                    (meant.empty() ? "" : "did you mean " + meant + "? ") +
                    "give one of " + all);
}

}  // namespace

std::string_view default_best_metric(ProblemType problem_type) {
  return problem_type == ProblemType::kRegression ? "loss" : "f1_macro";
}

bool larger_is_better(std::string_view name) {
  for (const MetricName& metric : all_metrics(kProblemTypes)) {
    if (metric.name == name) return metric.larger_is_better;
  }
  throw std::invalid_argument("no metric is called " + std::string(name));
}

void check_best_metric(std::string_view name, ProblemType problem_type,
                       std::int64_t num_labels) {
  const auto metrics = metric_names(problem_type, num_labels);
  check_is_among(name, metrics,
                 std::string(name_of(problem_type)) + " with " +
                     std::to_string(num_labels) + " labels has no metric ");
}

void check_metric_exists(std::string_view name,
                         std::optional<ProblemType> problem_type) {
  const auto metrics =
      problem_type ? all_metrics({*problem_type}) : all_metrics(kProblemTypes);
  check_is_among(name, metrics,
                 problem_type
                     ? std::string(name_of(*problem_type)) + " has no metric "
                     : "there is no metric ");
}

}  // namespace longformer
