// SPDX-License-Identifier: MIT
#include "longformer/config/option_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/config/nearest_name.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

constexpr std::string_view kSchemaKey = "$schema";
constexpr std::string_view kCommandLine = "command line";

/// Keys that SageMaker and its tools add to a job's hyperparameters.
bool is_platform_key(std::string_view key) {
  return key.starts_with("sagemaker_") || key == "default_user_module_name" ||
         key == "_tuning_objective_metric";
}

bool is_empty(const OptionField& field) {
  const Json value = value_to_json(field);
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_null() || (value.is_array() && value.empty());
}

/// "c.json: seed: expected ..., got ..."
OptionProblem problem_with(const std::string& where, const std::string& name,
                           const std::string& option,
                           const std::string& reason) {
  return {where + ": " + name + ": " + reason, {option}};
}

/// Platforms send texts; other clients send JSON values, which read alike.
std::optional<std::string> set_platform_value(const OptionField& field,
                                              const Json& value) {
  if (value.is_null()) return set_value(field, value);
  const std::string text =
      value.is_string() ? value.get<std::string>() : value.dump();
  return set_value_from_text(field, {text}, TextRules::kPlatform);
}

}  // namespace

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

OptionReader::OptionReader(std::vector<OptionField> fields)
    : fields_(std::move(fields)) {}

void OptionReader::read_config(std::string_view text,
                               const std::string& where) {
  const Json object = read_object(text, where);
  for (const auto& [key, value] : object.items()) {
    if (key == kSchemaKey) continue;
    const OptionField* field = find_field(fields_, key);
    if (field == nullptr) {
      refuse_key(key, value, where);
    } else if (const auto reason = set_value(*field, value)) {
      add(problem_with(where, key, key, *reason));
    } else {
      sources_[key] = where;
    }
  }
}

void OptionReader::read_platform(std::string_view text,
                                 const std::string& where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  const Json object = read_object(text, where);
  for (const auto& [key, value] : object.items()) {
    if (is_platform_key(key) || key == kConfigOption) continue;
    const OptionField* field = find_field(fields_, key);
    if (field == nullptr) {
      refuse_key(key, value, where);
      continue;
    }
    const auto reason = set_platform_value(*field, value);
    if (reason) {
      add(problem_with(where, key, key, *reason));
    } else {
      sources_[key] = where;
    }
  }
}

void OptionReader::read_command_line(const std::vector<GivenOption>& given) {
  for (const GivenOption& option : given) {
    const OptionField* field = find_field(fields_, option.name);
    if (field == nullptr) {
      refuse_flag(flag_of(option.name));
      continue;
    }
    const auto reason =
        set_value_from_text(*field, option.values, TextRules::kCommandLine);
    if (reason) {
      add(problem_with(std::string(kCommandLine), flag_of(option.name),
                       option.name, *reason));
    } else {
      sources_[option.name] = kCommandLine;
    }
  }
}

Json OptionReader::read_object(std::string_view text,
                               const std::string& where) {
  try {
    Json object = parse_strict_json(text);
    if (object.is_object()) return object;
    source_failed(where + ": expected a JSON object of options, got " +
                  shown(object));
  } catch (const JsonSyntaxError& error) {
    source_failed(where + ": not valid JSON: " + describe(error));
  }
  return Json::object();
}

void OptionReader::refuse_key(const std::string& key, const Json& value,
                              const std::string& where) {
  // An unknown object is most likely an attempt to group options.
  if (value.is_object() && !value.empty() && nearest(key).empty()) {
    for (const auto& [inner, ignored] : value.items()) {
      const std::string known = nearest(inner);
      add(problem_with(
          where, key + "." + inner, known,
          "unknown option; options are not nested" +
              (known.empty() ? "" : ", write " + known + " at the top level")));
    }
    return;
  }
  const std::string known = nearest(key);
  add(problem_with(
      where, shown(key), known,
      "unknown option" + (known.empty() ? "; configs/README.md lists all"
                                        : "; did you mean " + known + "?")));
}

void OptionReader::refuse_flag(const std::string& flag) {
  const std::size_t letters = flag.find_first_not_of('-');
  const std::string known =
      letters == std::string::npos ? "" : nearest(flag.substr(letters));
  add(problem_with(
      std::string(kCommandLine), flag, known,
      "unknown option; " + (known.empty()
                                ? "--help lists all"
                                : "did you mean " + flag_of(known) + "?")));
}

void OptionReader::source_failed(const std::string& text) {
  is_source_missing_ = true;
  add({text, {}});
}

void OptionReader::check_required() {
  for (const OptionField& field : fields_) {
    if (!field.info.is_required || !is_empty(field)) continue;
    const std::string name(field.info.name);
    std::string text = name;
    text += field.info.is_positional ? ": missing; name it on the command line"
                                     : ": missing; give " + flag_of(name) +
                                           " or set it in a config file";
    add_checks({{text, {name}}});
  }
}

void OptionReader::add(OptionProblem problem) {
  problems_.push_back(std::move(problem));
}

void OptionReader::add_checks(std::vector<OptionProblem> found) {
  if (is_source_missing_) return;
  const auto is_unread = [&](const std::string& name) {
    return std::any_of(
        problems_.begin(), problems_.end(), [&](const OptionProblem& problem) {
          const auto& names = problem.options;
          return std::find(names.begin(), names.end(), name) != names.end();
        });
  };
  std::vector<OptionProblem> kept;
  for (OptionProblem& problem : found) {
    if (std::none_of(problem.options.begin(), problem.options.end(),
                     is_unread)) {
      kept.push_back(std::move(problem));
    }
  }
  for (OptionProblem& problem : kept) add(std::move(problem));
}

void OptionReader::throw_problems() const { throw_if_any(problems_); }

std::string OptionReader::nearest(std::string_view name) const {
  return nearest_name(name, names());
}

std::vector<std::string> OptionReader::names() const {
  std::vector<std::string> names;
  for (const OptionField& field : fields_) names.emplace_back(field.info.name);
  return names;
}

void throw_if_any(const std::vector<OptionProblem>& problems) {
  if (problems.empty()) return;
  if (problems.size() == 1) throw ConfigError(problems.front().text);
  std::string message =
      std::to_string(problems.size()) + " problems with the options:";
  for (const OptionProblem& problem : problems) {
    message += "\n  " + problem.text;
  }
  throw ConfigError(message);
}

Json fields_to_json(const std::vector<OptionField>& fields) {
  Json object = Json::object();
  for (const OptionField& field : fields) {
    object[std::string(field.info.name)] = value_to_json(field);
  }
  return object;
}

std::vector<std::string> describe_changes(
    const std::vector<OptionField>& fields,
    const std::vector<OptionField>& defaults, const OptionSources& sources) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Json value = value_to_json(fields[i]);
    if (value == value_to_json(defaults[i])) continue;
    const auto source = sources.find(fields[i].info.name);
    lines.push_back(
        std::string(fields[i].info.name) + " = " + value.dump() + " (" +
        (source == sources.end() ? "set by the program" : source->second) +
        ")");
  }
  return lines;
}

}  // namespace longformer
