// SPDX-License-Identifier: MIT
#include "longformer/data/label_map.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "longformer/base/error.h"

#include "label_text.h"

namespace longformer {
namespace {

using List = std::vector<LabelScalar>;

bool has_boolean_names(const std::vector<std::string>& names) {
  return names.size() == 2 && std::count(names.begin(), names.end(), "true") &&
         std::count(names.begin(), names.end(), "false");
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

/// 0 or 1 if `scalar` is a flag.
std::optional<float> flag_in(const LabelScalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? 1.F : 0.F;
  double number = -1;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&scalar)) {
    number = *real;
  }
  if (number == 0 || number == 1) return static_cast<float>(number);
  return std::nullopt;
}

/// The flags of a list that holds one per label.
std::optional<std::vector<float>> flags_in(const List& list,
                                           std::size_t num_labels) {
  if (list.size() != num_labels) return std::nullopt;
  std::vector<float> flags;
  bool has_boolean = false;
  for (const LabelScalar& scalar : list) {
    const auto flag = flag_in(scalar);
    if (!flag) return std::nullopt;
    has_boolean = has_boolean || std::holds_alternative<bool>(scalar);
    flags.push_back(*flag);
  }
  if (num_labels < 2 && !has_boolean) return std::nullopt;
  return flags;
}

std::optional<double> number_of(const LabelScalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    return number_in(*text);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return static_cast<double>(*integer);
  }
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  return std::nullopt;
}

/// A scalar label as list of one; a text by the rules of labels_in_text.
List list_of(const RawLabel& label) {
  if (const auto* list = std::get_if<List>(&label)) return *list;
  if (const auto* text = std::get_if<std::string>(&label)) {
    return labels_in_text(*text);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&label)) {
    return {*integer};
  }
  throw DataError("label " + show(label) +
                  " is no list of labels, as the problem_type "
                  "multi_label_classification needs; fix the row");
}

}  // namespace

LabelMap::LabelMap(ProblemType problem_type, std::vector<std::string> names,
                   LabelNotation notation)
    : problem_type_(problem_type),
      notation_(notation),
      names_(std::move(names)) {
  if (names_.empty()) throw ConfigError("labels: there must be at least one");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!ids_.emplace(names_[i], static_cast<std::int32_t>(i)).second) {
      throw ConfigError("labels: " + in_quotes(names_[i]) +
                        " is listed twice; each label must be named once");
    }
  }
  const std::string count = std::to_string(names_.size());
  switch (problem_type_) {
    case ProblemType::kSingleLabel:
      description_ = count + " classes: " + list_names(names_);
      break;
    case ProblemType::kMultiLabel:
      description_ =
          count + " labels of which any may apply: " + list_names(names_);
      break;
    case ProblemType::kRegression:
      description_ = count + (names_.size() == 1 ? " number" : " numbers");
      break;
  }
}

const std::string& LabelMap::name(std::int64_t id) const {
  return names_.at(static_cast<std::size_t>(id));
}

Json LabelMap::json_name(std::int64_t id) const {
  const std::string& text = name(id);
  if (notation_ == LabelNotation::kInteger) {
    if (const auto integer = plain_integer(text)) return *integer;
  }
  if (notation_ == LabelNotation::kBoolean) {
    if (text == "true") return true;
    if (text == "false") return false;
  }
  return text;
}

std::optional<std::int32_t> LabelMap::find(std::string_view name) const {
  auto found = ids_.find(std::string(name));
  if (found == ids_.end()) {
    // "03", "+3" and " 3" for the class 3, but only if it has no such name.
    const std::string_view text = trimmed(name);
    const auto number = number_in(text);
    if (number && is_integer_notation(text) && std::abs(*number) < 9e15) {
      found = ids_.find(std::to_string(static_cast<std::int64_t>(*number)));
    } else if (has_boolean_names(names_)) {
      found = ids_.find(lower_case(text));
    }
  }
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::int32_t LabelMap::class_of(const LabelScalar& scalar) const {
  const std::string text = label_name(scalar);
  if (const auto id = find(text)) return *id;
  // 3.0 in JSON is the class 3.
  if (const auto* real = std::get_if<double>(&scalar)) {
    if (std::trunc(*real) == *real && std::abs(*real) < 9e15) {
      const auto integer = static_cast<std::int64_t>(*real);
      if (const auto id = find(std::to_string(integer))) return *id;
    }
  }
  throw DataError("label " + show(scalar) + " is not one of the " +
                  std::to_string(names_.size()) + " labels " +
                  list_names(names_) +
                  "; fix the row (which labels there are is decided in "
                  "training, by its data or its option labels)");
}

void LabelMap::set_multi_label(const List& list,
                               std::vector<float>& values) const {
  if (auto flags = flags_in(list, names_.size())) {
    values = std::move(*flags);
    return;
  }
  values.assign(names_.size(), 0.F);
  for (const LabelScalar& scalar : list) {
    if (std::holds_alternative<bool>(scalar)) {
      throw DataError("label has " + counted(list.size(), "flag") +
                      " but there are " + std::to_string(names_.size()) +
                      " labels (" + list_names(names_) + "); fix the row");
    }
    values[static_cast<std::size_t>(class_of(scalar))] = 1.F;
  }
}

std::vector<float> LabelMap::regression_values(const RawLabel& label) const {
  List list;
  if (const auto* given = std::get_if<List>(&label)) {
    list = *given;
  } else if (const auto* text = std::get_if<std::string>(&label)) {
    list = is_list_text(*text) ? labels_in_text(*text) : List{*text};
  } else {
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_constructible_v<LabelScalar, decltype(value)>) {
            list.emplace_back(value);
          }
        },
        label);
  }
  if (list.size() != names_.size()) {
    throw DataError("label " + show(label) + " holds " +
                    counted(list.size(), "number") + " where " +
                    std::to_string(names_.size()) +
                    " are expected; fix the row (how many there are is "
                    "decided in training)");
  }
  std::vector<float> values;
  for (const LabelScalar& scalar : list) {
    const auto number = number_of(scalar);
    const auto value = static_cast<float>(number.value_or(0));
    if (!number || !std::isfinite(value)) {
      throw DataError(
          "label " + show(label) +
          " is no finite number, as the problem_type regression "
          "needs; fix the row (the problem_type is decided in training)");
    }
    values.push_back(value);
  }
  return values;
}

Target LabelMap::target(const RawLabel& label) const {
  if (std::holds_alternative<std::monostate>(label)) {
    throw DataError(
        "the row has no label; add it, or check the option label_column");
  }
  Target target;
  switch (problem_type_) {
    case ProblemType::kRegression:
      target.values = regression_values(label);
      break;
    case ProblemType::kMultiLabel:
      set_multi_label(list_of(label), target.values);
      break;
    case ProblemType::kSingleLabel:
      if (std::holds_alternative<List>(label)) {
        throw DataError("label " + show(label) +
                        " is a list, but each document has one class; fix "
                        "the row or set problem_type to "
                        "multi_label_classification");
      }
      target.class_id = std::visit(
          [&](const auto& value) -> std::int32_t {
            if constexpr (std::is_constructible_v<LabelScalar,
                                                  decltype(value)>) {
              return class_of(LabelScalar(value));
            }
            return -1;
          },
          label);
      break;
  }
  return target;
}

}  // namespace longformer
