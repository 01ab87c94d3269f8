// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/task.h"
#include "longformer/data/record.h"

namespace longformer {

/// How classes are written in JSON data, so that predictions can be printed the
/// same way.
enum class LabelNotation { kText, kInteger, kBoolean };

/// The target of one document.
struct Target {
  std::int32_t class_id = -1;  ///< kSingleLabel only.
  /// kMultiLabel: 0 or 1 per label; kRegression: the numbers.
  std::vector<float> values;
  double weight = 1.0;
};

/// The labels of a task in a fixed order, and the rules that turn what stands
/// in a file into targets.
///
/// Order of names unless given: by value if all are integers, else sorted by
/// bytes (so "false" precedes "true"). It does not depend on the order of rows.
///
/// A label finds its name by its text; integers by value and booleans without
/// regard to case, so that 1, "1" and a CSV field 1 are the same class.
class LabelMap {
 public:
  /// `names`: what column i of the logits stands for; distinct, not empty.
  /// Throws ConfigError.
  LabelMap(ProblemType problem_type, std::vector<std::string> names,
           LabelNotation notation = LabelNotation::kText);

  ProblemType problem_type() const { return problem_type_; }
  LabelNotation notation() const { return notation_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Columns of the logits.
  std::int64_t num_labels() const {
    return static_cast<std::int64_t>(names_.size());
  }
  const std::string& name(std::int64_t id) const;
  /// The name as JSON in the notation of the data: "spam", 3 or true.
  Json json_name(std::int64_t id) const;
  /// Nothing if there is no such label.
  std::optional<std::int32_t> find(std::string_view name) const;

  /// Multi-label: a list of names or integers (or, for CSV, a text that is such
  /// a list in JSON or has `|` between the names) means the labels that apply;
  /// a list of booleans, or of num_labels() >= 2 numbers that are all 0 or 1,
  /// means one flag per label. Regression: a number, or as many as there are
  /// labels.
  ///
  /// Throws DataError with the reason alone (`label "x" is not one of ...; fix
  /// the row or ...`); the caller adds file and row.
  Target target(const RawLabel& label) const;

  /// What was decided, for the log: "3 classes, from integers: 1, 2, 3
  /// (problem_type single_label_classification)".
  const std::string& description() const { return description_; }

 private:
  friend class LabelCollector;
  std::int32_t class_of(const LabelScalar& scalar) const;
  void set_multi_label(const std::vector<LabelScalar>& list,
                       std::vector<float>& values) const;
  std::vector<float> regression_values(const RawLabel& label) const;

  ProblemType problem_type_;
  LabelNotation notation_;
  std::string description_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

/// What the user fixed about labels; the rest is read from the training file.
struct LabelOptions {
  std::optional<ProblemType> problem_type;
  /// The option `labels`: names in order; empty: all that occur.
  std::vector<std::string> labels;
  /// Who says what `problem_type` is, for the log.
  std::string problem_type_source = "the option problem_type";
};

/// Collects the labels of the training file and decides once what they mean.
///
/// Rule, in this order (the option problem_type overrides the kind):
///  1. lists of equal length >= 2 of only 0, 1 or booleans: multi-label, one
///     flag per label; other lists of names or integers: multi-label, the names
///     of the labels that apply; other lists of numbers: regression with
///     several outputs;
///  2. booleans, integers: classes; numbers of which one is written with a
///     fraction or exponent: regression;
///  3. text: regression if every one is a number and at least one not an
///     integer; multi-label if every one is a JSON list, or if some hold `|`
///     and their parts are fewer than the different texts; else classes.
/// Kinds may not be mixed (integers and other numbers may).
class LabelCollector {
 public:
  explicit LabelCollector(LabelOptions options);
  ~LabelCollector();
  LabelCollector(LabelCollector&&) noexcept;

  /// `where` ("file:line:column") is called for the first label of each kind
  /// only. Throws DataError with the reason alone: no label, or one that cannot
  /// belong to the same task as those before.
  void add(const RawLabel& label, const std::function<std::string()>& where);

  /// Throws DataError if no rows were added, there is only one class, or the
  /// labels do not suit the given problem_type or names.
  LabelMap decide() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Weights n / (C * n_c) that give every class the same total ("balanced").
/// Classes without documents get 0.
/// Throws DataError if all counts are 0.
std::vector<double> balanced_class_weights(
    const std::vector<std::int64_t>& counts);

}  // namespace longformer
