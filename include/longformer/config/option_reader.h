// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/option_fields.h"

namespace longformer {

/// Names the configuration file, on the command line and in a platform's
/// hyperparameters; no option itself.
inline constexpr std::string_view kConfigOption = "config";

/// Something wrong with options: the text for the user and the options that it
/// is about.
struct OptionProblem {
  std::string text;
  std::vector<std::string> options;
};

/// Where each value that was given came from: option -> "command line", the
/// name of a file.
using OptionSources = std::map<std::string, std::string, std::less<>>;

/// An option on the command line, under its snake_case name.
struct GivenOption {
  std::string name;
  std::vector<std::string> values;
};

/// "--learning-rate" for learning_rate.
std::string flag_of(std::string_view name);

/// Fills an options object from its sources, the weakest first: what a later
/// one gives replaces the value, lists included. Nothing is thrown before
/// throw_problems(), so that a user sees everything at once.
class OptionReader {
 public:
  /// `fields` are bind_fields() of an object that outlives this one.
  explicit OptionReader(std::vector<OptionField> fields);

  /// A configuration file: one JSON object, strictly typed. The key "$schema"
  /// is for editors and is skipped.
  void read_config(std::string_view text, const std::string& where);

  /// Hyperparameters of a platform: one JSON object whose values may be texts.
  /// Keys that platforms add for themselves (sagemaker_...) and kConfigOption
  /// are skipped. An empty text counts as an empty object.
  void read_platform(std::string_view text, const std::string& where);

  void read_command_line(const std::vector<GivenOption>& given);

  /// Complains about a flag ("--lerning-rate") that no option has.
  void refuse_flag(const std::string& flag);

  /// A whole source cannot be read: `text` says why. What check_required()
  /// and add_checks() would find afterwards may stand in that source, so they
  /// stay silent.
  void source_failed(const std::string& text);

  /// Adds a problem for every required option that is still empty.
  void check_required();

  void add(OptionProblem problem);

  /// Adds what a check of the values found, except about options whose values
  /// could not be read (their defaults are not what the user meant).
  void add_checks(std::vector<OptionProblem> found);

  const OptionSources& sources() const { return sources_; }
  const std::vector<OptionProblem>& problems() const { return problems_; }

  /// Throws ConfigError with all problems, one a line, if there are any.
  void throw_problems() const;

 private:
  Json read_object(std::string_view text, const std::string& where);
  void refuse_key(const std::string& key, const Json& value,
                  const std::string& where);
  std::string nearest(std::string_view name) const;
  std::vector<std::string> names() const;

  std::vector<OptionField> fields_;
  OptionSources sources_;
  std::vector<OptionProblem> problems_;
  bool is_source_missing_ = false;
};

/// Throws ConfigError with the texts of `problems`, one a line, if any.
void throw_if_any(const std::vector<OptionProblem>& problems);

/// Every value of `fields`, in order.
Json fields_to_json(const std::vector<OptionField>& fields);

/// Every value of `options`; read_config() of it gives equal options.
template <class Options>
Json options_to_json(const Options& options) {
  Options copy = options;
  return fields_to_json(bind_fields(copy));
}

/// The inverse of options_to_json, for the copy saved with a run.
/// Throws ConfigError; checks single values only, not their combination.
template <class Options>
Options options_from_json(std::string_view text, const std::string& where) {
  Options options;
  OptionReader reader(bind_fields(options));
  reader.read_config(text, where);
  reader.throw_problems();
  return options;
}

/// Lines "learning_rate = 0.001 (command line)", one for every value of
/// `fields` that differs from the same one of `defaults`.
std::vector<std::string> describe_changes(
    const std::vector<OptionField>& fields,
    const std::vector<OptionField>& defaults, const OptionSources& sources);

template <class Options>
std::vector<std::string> describe_changes(const Options& options,
                                          const OptionSources& sources) {
  Options copy = options;
  Options defaults;
  return describe_changes(bind_fields(copy), bind_fields(defaults), sources);
}

}  // namespace longformer
