// SPDX-License-Identifier: MIT
#include "longformer/train/label_matching.h"

#include <algorithm>

namespace longformer {
namespace {

/// Key of config.json that keeps how labels were written in the data; other
/// programs ignore it.
constexpr const char* kNotationKey = "label_notation";

LabelNotation notation_of(const ModelConfig& config) {
  const auto found = config.original.find(kNotationKey);
  if (found == config.original.end()) return LabelNotation::kText;
  if (*found == "integer") return LabelNotation::kInteger;
  if (*found == "boolean") return LabelNotation::kBoolean;
  return LabelNotation::kText;
}

bool is_number_below(const RawLabel& label, std::int64_t limit) {
  if (const auto* number = std::get_if<std::int64_t>(&label)) {
    return *number >= 0 && *number < limit;
  }
  if (const auto* text = std::get_if<std::string>(&label)) {
    return !text->empty() && text->size() < 10 &&
           std::all_of(text->begin(), text->end(),
                       [](char c) { return c >= '0' && c <= '9'; }) &&
           std::stoll(*text) < limit;
  }
  return false;
}

bool all_are_numbers(const Dataset& dataset, std::int64_t limit) {
  for (std::int64_t row = 0; row < dataset.size(); ++row) {
    if (!is_number_below(dataset.raw_label(row), limit)) return false;
  }
  return true;
}

}  // namespace

ProblemType problem_type_of(const ModelConfig& config) {
  if (config.problem_type) return *config.problem_type;
  return config.num_labels() == 1 ? ProblemType::kRegression
                                  : ProblemType::kSingleLabel;
}

LabelMap labels_of_model(const ModelConfig& config) {
  return {problem_type_of(config), config.labels, notation_of(config)};
}

LabelMap match_labels(const ModelConfig& config, const Dataset& dataset) {
  const ProblemType problem_type = problem_type_of(config);
  if (problem_type == ProblemType::kSingleLabel &&
      config.labels == default_labels(config.num_labels()) &&
      all_are_numbers(dataset, config.num_labels())) {
    std::vector<std::string> numbers;
    for (std::int64_t i = 0; i < config.num_labels(); ++i) {
      numbers.push_back(std::to_string(i));
    }
    return {problem_type, std::move(numbers), LabelNotation::kInteger};
  }
  return labels_of_model(config);
}

void set_labels(ModelConfig& config, const LabelMap& labels) {
  config.labels = labels.names();
  config.problem_type = labels.problem_type();
  config.original.erase(kNotationKey);
  if (labels.notation() != LabelNotation::kText) {
    config.original[kNotationKey] =
        labels.notation() == LabelNotation::kInteger ? "integer" : "boolean";
  }
}

}  // namespace longformer
