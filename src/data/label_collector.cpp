// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/data/label_map.h"

#include "label_observations.h"
#include "label_text.h"

namespace longformer {
namespace {

using List = std::vector<LabelScalar>;

enum Kind : std::size_t { kText, kInteger, kBoolean, kNumber, kList, kKinds };

constexpr std::array<std::string_view, kKinds> kKindNames{
    "a string", "an integer", "a boolean", "a number", "a list"};

Kind kind_of(const RawLabel& label) {
  if (std::holds_alternative<std::string>(label)) return kText;
  if (std::holds_alternative<std::int64_t>(label)) return kInteger;
  if (std::holds_alternative<bool>(label)) return kBoolean;
  if (std::holds_alternative<double>(label)) return kNumber;
  return kList;
}

/// By value if all are integers, else by bytes.
std::vector<std::string> in_stable_order(std::vector<std::string> names) {
  const bool integers = std::all_of(
      names.begin(), names.end(),
      [](const std::string& name) { return plain_integer(name).has_value(); });
  std::sort(names.begin(), names.end(),
            [&](const std::string& a, const std::string& b) {
              if (integers) return *plain_integer(a) < *plain_integer(b);
              return a < b;
            });
  return names;
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("LABEL_" + std::to_string(i));
  }
  return names;
}

/// Names that differ only by case or blanks are usually one class.
void warn_of_similar_names(const std::vector<std::string>& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    std::string folded(trimmed(name));
    for (char& c : folded) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const auto [other, is_new] = seen.emplace(folded, name);
    if (!is_new) {
      log_warning("labels " + in_quotes(other->second) + " and " +
                  in_quotes(name) + " count as two different classes");
    }
  }
}

}  // namespace

struct LabelCollector::State {
  LabelOptions options;
  std::int64_t rows = 0;
  std::array<std::string, kKinds> first;  // "file:line", empty if unseen.
  TextLabels texts;
  ListLabels lists;
  std::set<std::int64_t> integers;
  std::set<double> numbers;
  std::set<bool> booleans;

  bool seen(Kind kind) const { return !first[kind].empty(); }

  void check_kind(Kind kind, const RawLabel& label) const {
    for (std::size_t other = 0; other < kKinds; ++other) {
      const bool both_numbers = (kind == kInteger || kind == kNumber) &&
                                (other == kInteger || other == kNumber);
      if (other == kind || both_numbers || first[other].empty()) continue;
      throw DataError("label " + show(label) + " is " +
                      std::string(kKindNames[kind]) + ", but the label at " +
                      first[other] + " is " + std::string(kKindNames[other]) +
                      "; write all labels in the same way");
    }
  }

  void store(const RawLabel& label) {
    const bool names_needed =
        options.problem_type != ProblemType::kRegression &&
        (options.labels.empty() || !options.problem_type);
    if (const auto* list = std::get_if<List>(&label)) {
      lists.add(*list);
    } else if (!names_needed) {
      return;
    } else if (const auto* text = std::get_if<std::string>(&label)) {
      texts.add(*text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&label)) {
      integers.insert(*integer);
    } else if (const auto* number = std::get_if<double>(&label)) {
      if (options.problem_type) numbers.insert(*number);
    } else if (const auto* flag = std::get_if<bool>(&label)) {
      booleans.insert(*flag);
    }
  }

  /// The kind of problem, and from what it was read.
  std::pair<ProblemType, std::string> problem() const {
    if (seen(kList)) {
      if (lists.are_flags()) return {ProblemType::kMultiLabel, "flags"};
      if (lists.any_real && !lists.any_text && !lists.any_boolean) {
        return {ProblemType::kRegression, "lists of numbers"};
      }
      return {ProblemType::kMultiLabel, "lists"};
    }
    if (seen(kNumber)) return {ProblemType::kRegression, "numbers"};
    if (seen(kInteger)) return {ProblemType::kSingleLabel, "integers"};
    if (seen(kBoolean)) return {ProblemType::kSingleLabel, "booleans"};
    if (texts.all_numbers && texts.any_fraction) {
      return {ProblemType::kRegression, "texts that are numbers"};
    }
    if (texts.list_names()) {
      return {ProblemType::kMultiLabel, "texts that list names"};
    }
    return {ProblemType::kSingleLabel, "texts"};
  }

  std::vector<std::string> class_names() const {
    std::vector<std::string> names(texts.distinct.begin(),
                                   texts.distinct.end());
    std::set<std::string> numeric;
    for (const std::int64_t value : integers) {
      numeric.insert(std::to_string(value));
    }
    for (const double value : numbers) {
      const bool is_integer =
          std::trunc(value) == value && std::abs(value) < 9e15;
      numeric.insert(is_integer
                         ? std::to_string(static_cast<std::int64_t>(value))
                         : label_name(value));
    }
    names.insert(names.end(), numeric.begin(), numeric.end());
    for (const bool value : booleans) names.push_back(label_name(value));
    return in_stable_order(std::move(names));
  }

  std::vector<std::string> multi_label_names() const {
    if (seen(kList) && lists.are_flags()) return numbered_names(lists.length);
    std::set<std::string> names = seen(kList) ? lists.names : texts.parts();
    for (const std::int64_t value : integers) {
      names.insert(std::to_string(value));
    }
    return in_stable_order({names.begin(), names.end()});
  }

  std::vector<std::string> names(ProblemType type) const {
    if (!options.labels.empty()) return options.labels;
    switch (type) {
      case ProblemType::kSingleLabel:
        return class_names();
      case ProblemType::kMultiLabel:
        return multi_label_names();
      case ProblemType::kRegression:
        break;
    }
    return numbered_names(seen(kList) ? lists.length : 1);
  }

  /// Where the first label stands.
  std::string begin() const {
    for (const std::string& where : first) {
      if (!where.empty()) return where;
    }
    return {};
  }

  void check(ProblemType type, const std::vector<std::string>& found) const {
    if (seen(kList) && !lists.same_length &&
        (type == ProblemType::kRegression || lists.any_boolean)) {
      throw DataError(begin() +
                      ": from here on labels are lists of different lengths, "
                      "but there must be one " +
                      std::string(lists.any_boolean
                                      ? "flag for each label"
                                      : "number for each output") +
                      "; fix the rows");
    }
    const std::string all =
        begin() + ": this and all " + std::to_string(rows) + " labels are ";
    if (found.empty()) {
      throw DataError(all +
                      "empty lists; check label_column, or name the labels "
                      "with the option labels");
    }
    if (type == ProblemType::kSingleLabel && found.size() < 2) {
      throw DataError(all + in_quotes(found[0]) +
                      ", so there is nothing to learn; check label_column, or "
                      "name all classes with the option labels");
    }
  }
};

LabelCollector::LabelCollector(LabelOptions options)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

LabelCollector::~LabelCollector() = default;
LabelCollector::LabelCollector(LabelCollector&&) noexcept = default;

void LabelCollector::add(const RawLabel& label,
                         const std::function<std::string()>& where) {
  if (std::holds_alternative<std::monostate>(label)) {
    throw DataError(
        "the row has no label; add it, or check the option label_column");
  }
  State& state = *state_;
  const Kind kind = kind_of(label);
  state.check_kind(kind, label);
  if (kind == kText && state.options.problem_type == ProblemType::kMultiLabel) {
    labels_in_text(std::get<std::string>(label));  // Throws if it is broken.
  }
  if (state.first[kind].empty()) state.first[kind] = where();
  state.store(label);
  ++state.rows;
}

LabelMap LabelCollector::decide() const {
  const State& state = *state_;
  if (state.rows == 0) {
    throw DataError("there are no labelled documents to learn from");
  }
  auto [type, source] = state.problem();
  if (state.options.problem_type) {
    type = *state.options.problem_type;
    source = state.options.problem_type_source;
  }
  std::vector<std::string> names = state.names(type);
  state.check(type, names);
  if (type == ProblemType::kSingleLabel && state.options.labels.empty()) {
    warn_of_similar_names(names);
    const auto count = static_cast<std::int64_t>(names.size());
    if (count > 100 && 2 * count > state.rows) {
      log_warning(std::to_string(count) + " classes for " +
                  std::to_string(state.rows) +
                  " documents; is label_column the right one?");
    }
  }
  LabelNotation notation = LabelNotation::kText;
  if (state.seen(kInteger) || state.seen(kNumber)) {
    notation = LabelNotation::kInteger;
  } else if (state.seen(kBoolean)) {
    notation = LabelNotation::kBoolean;
  } else if (state.seen(kList) && !state.lists.any_text) {
    notation = LabelNotation::kInteger;
  }
  LabelMap map(type, std::move(names), notation);
  map.description_ +=
      " (problem_type " + std::string(name_of(type)) + ", from " + source + ")";
  return map;
}

std::vector<double> balanced_class_weights(
    const std::vector<std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  if (total == 0) {
    throw DataError("class_weights balanced: there are no documents to count");
  }
  std::vector<double> weights;
  for (const std::int64_t count : counts) {
    const double share =
        static_cast<double>(counts.size()) * static_cast<double>(count);
    weights.push_back(count == 0 ? 0.0 : static_cast<double>(total) / share);
  }
  return weights;
}

}  // namespace longformer
