// SPDX-License-Identifier: MIT
#include "answer_checks.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"
#include "longformer/train/metric_names.h"

namespace longformer {

void require_sizes(std::int64_t width, std::size_t num_examples,
                   std::size_t num_answers, std::size_t num_names) {
  if (num_examples == 0 && num_answers == 0) {
    throw DataError(
        "metrics: there is no example to measure on; give a file with at "
        "least one labelled row");
  }
  if (width < 1 ||
      num_answers / static_cast<std::size_t>(width) != num_examples ||
      num_answers % static_cast<std::size_t>(width) != 0) {
    throw std::invalid_argument("metrics: " + std::to_string(num_answers) +
                                " numbers for " + std::to_string(num_examples) +
                                " examples of width " + std::to_string(width));
  }
  if (num_names != 0 && num_names != static_cast<std::size_t>(width)) {
    throw std::invalid_argument("metrics: " + std::to_string(num_names) +
                                " names for " + std::to_string(width) +
                                " labels");
  }
}

void throw_bad_label(std::size_t example, const std::string& label,
                     const std::string& why) {
  throw DataError("metrics: example " + std::to_string(example) +
                  " (counted from 0) has the label " + label + ", which is " +
                  why + "; check the label column and the model's labels");
}

std::optional<std::string> bad_probability(
    std::span<const double> probabilities, std::int64_t width) {
  constexpr double kRounding = 1e-5;
  const auto found = std::find_if_not(
      probabilities.begin(), probabilities.end(), [](double probability) {
        return probability >= -kRounding && probability <= 1 + kRounding;
      });
  if (found == probabilities.end()) return std::nullopt;
  return "example " + std::to_string((found - probabilities.begin()) / width) +
         " (counted from 0) has the probability " + std::to_string(*found);
}

double clip_probability(double probability) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return std::clamp(probability, kEpsilon, 1 - kEpsilon);
}

MetricsReport report_with_loss(std::optional<double> loss,
                               std::int64_t num_examples) {
  MetricsReport report;
  report.add_table("examples", num_examples);
  if (loss) report.add("loss", *loss);
  return report;
}

void add_all_undefined(ProblemType problem_type, std::int64_t num_labels,
                       const std::string& reason, MetricsReport& report) {
  for (const MetricName& metric : metric_names(problem_type, num_labels)) {
    if (metric.name != "loss") report.add_undefined(metric.name, reason);
  }
}

Json label_row(std::int64_t label, std::span<const std::string> names,
               const PrecisionRecall& quality, std::int64_t support) {
  Json row = Json::object();
  row["label"] = label;
  if (!names.empty()) {
    row["name"] = replace_invalid_utf8(names[static_cast<std::size_t>(label)]);
  }
  row["precision"] = quality.precision;
  row["recall"] = quality.recall;
  row["f1"] = quality.f1;
  row["support"] = support;
  return row;
}

Json null_or(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace longformer
