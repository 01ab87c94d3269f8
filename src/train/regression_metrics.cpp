// SPDX-License-Identifier: MIT
#include "longformer/train/regression_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "longformer/base/utf8.h"
#include "longformer/config/task.h"

#include "answer_checks.h"

namespace longformer {
namespace {

constexpr const char* kNoCorrelation =
    "a constant side or fewer than two examples";
constexpr const char* kNoR2 = "constant truth or fewer than two examples";

/// One target's numbers over all examples.
struct TargetQuality {
  double mse = 0;
  double rmse = 0;
  double mae = 0;
  std::optional<double> r2;
  std::optional<double> pearson;
  std::optional<double> spearman;
};

void check(const RegressionAnswers& answers) {
  if (answers.labels.size() != answers.predictions.size()) {
    throw std::invalid_argument(
        "metrics: labels and predictions differ in number");
  }
  const auto width = static_cast<std::size_t>(answers.num_targets);
  require_sizes(answers.num_targets,
                width == 0 ? 0 : answers.labels.size() / width,
                answers.labels.size(), answers.names.size());
  for (std::size_t i = 0; i < answers.labels.size(); ++i) {
    if (std::isfinite(answers.labels[i])) continue;
    throw_bad_label(i / width, std::to_string(answers.labels[i]),
                    "not a finite number");
  }
}

std::optional<std::string> bad_prediction(const RegressionAnswers& answers) {
  const auto found =
      std::find_if_not(answers.predictions.begin(), answers.predictions.end(),
                       [](double value) { return std::isfinite(value); });
  if (found == answers.predictions.end()) return std::nullopt;
  return "example " +
         std::to_string((found - answers.predictions.begin()) /
                        answers.num_targets) +
         " (counted from 0) has the prediction " + std::to_string(*found);
}

/// Not by the sum of squares: the mean of equal numbers may be rounded.
bool is_constant(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

/// Rank of each value from 1 on; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (; first < end; ++first) result[order[first]] = rank;
  }
  return result;
}

TargetQuality quality_of(std::span<const double> labels,
                         std::span<const double> predictions) {
  const double mean_label = mean(labels);
  double squared = 0;
  double absolute = 0;
  double spread = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double error = labels[i] - predictions[i];
    const double deviation = labels[i] - mean_label;
    squared += error * error;
    absolute += std::abs(error);
    spread += deviation * deviation;
  }
  const auto count = static_cast<double>(labels.size());
  TargetQuality quality;
  quality.mse = squared / count;
  quality.rmse = std::sqrt(quality.mse);
  quality.mae = absolute / count;
  if (!is_constant(labels)) quality.r2 = 1 - squared / spread;
  quality.pearson = pearson_correlation(labels, predictions);
  quality.spearman = spearman_correlation(labels, predictions);
  return quality;
}

std::vector<TargetQuality> qualities_of(const RegressionAnswers& answers) {
  const auto width = static_cast<std::size_t>(answers.num_targets);
  std::vector<TargetQuality> qualities;
  for (std::size_t target = 0; target < width; ++target) {
    std::vector<double> labels;
    std::vector<double> predictions;
    for (std::size_t i = target; i < answers.labels.size(); i += width) {
      labels.push_back(answers.labels[i]);
      predictions.push_back(answers.predictions[i]);
    }
    qualities.push_back(quality_of(labels, predictions));
  }
  return qualities;
}

/// The mean over the targets; empty if it is undefined for one of them.
template <class Value>
std::optional<double> mean_over(const std::vector<TargetQuality>& qualities,
                                Value TargetQuality::*member) {
  double sum = 0;
  for (const TargetQuality& quality : qualities) {
    const std::optional<double> value = quality.*member;
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / static_cast<double>(qualities.size());
}

/// The reports of the single targets, in a list.
Json per_target(const std::vector<TargetQuality>& qualities,
                std::span<const std::string> names) {
  Json list = Json::array();
  for (std::size_t target = 0; target < qualities.size(); ++target) {
    const TargetQuality& quality = qualities[target];
    MetricsReport report;
    report.add_table("target", static_cast<std::int64_t>(target));
    if (!names.empty()) {
      report.add_table("name", replace_invalid_utf8(names[target]));
    }
    report.add("mse", quality.mse);
    report.add("rmse", quality.rmse);
    report.add("mae", quality.mae);
    report.add("r2", quality.r2, kNoR2);
    report.add("pearson", quality.pearson, kNoCorrelation);
    report.add("spearman", quality.spearman, kNoCorrelation);
    list.push_back(report.to_json());
  }
  return list;
}

}  // namespace

std::optional<double> pearson_correlation(std::span<const double> first,
                                          std::span<const double> second) {
  if (first.size() < 2 || is_constant(first) || is_constant(second)) {
    return std::nullopt;
  }
  const double mean_first = mean(first);
  const double mean_second = mean(second);
  double both = 0;
  double squared_first = 0;
  double squared_second = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double a = first[i] - mean_first;
    const double b = second[i] - mean_second;
    both += a * b;
    squared_first += a * a;
    squared_second += b * b;
  }
  const double scale = std::sqrt(squared_first) * std::sqrt(squared_second);
  return std::clamp(both / scale, -1.0, 1.0);
}

std::optional<double> spearman_correlation(std::span<const double> first,
                                           std::span<const double> second) {
  if (first.size() < 2) return std::nullopt;
  return pearson_correlation(ranks(first), ranks(second));
}

MetricsReport regression_metrics(const RegressionAnswers& answers) {
  check(answers);
  MetricsReport report = report_with_loss(
      answers.loss,
      static_cast<std::int64_t>(answers.labels.size()) / answers.num_targets);
  if (const auto problem = bad_prediction(answers)) {
    add_all_undefined(ProblemType::kRegression, answers.num_targets, *problem,
                      report);
    return report;
  }
  const std::vector<TargetQuality> qualities = qualities_of(answers);
  report.add("mse", mean_over(qualities, &TargetQuality::mse), "");
  report.add("rmse", mean_over(qualities, &TargetQuality::rmse), "");
  report.add("mae", mean_over(qualities, &TargetQuality::mae), "");
  report.add("r2", mean_over(qualities, &TargetQuality::r2), kNoR2);
  report.add("pearson", mean_over(qualities, &TargetQuality::pearson),
             kNoCorrelation);
  report.add("spearman", mean_over(qualities, &TargetQuality::spearman),
             kNoCorrelation);
  if (answers.num_targets > 1) {
    report.add_table("per_target", per_target(qualities, answers.names));
  }
  return report;
}

}  // namespace longformer
