// SPDX-License-Identifier: MIT
#include "option_help.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "longformer/config/option_values.h"

namespace longformer {
namespace {

/// Answers for each type an option can have.
struct Placeholder {
  std::string operator()(const bool*) { return "[true|false]"; }
  std::string operator()(const std::int64_t*) { return "INTEGER"; }
  std::string operator()(const double*) { return "NUMBER"; }
  std::string operator()(const std::string*) { return "TEXT"; }
  std::string operator()(const std::vector<std::string>*) { return "TEXT ..."; }
  std::string operator()(const std::vector<double>*) { return "NUMBER,..."; }
  std::string operator()(const ClassWeights*) { return "WEIGHTS"; }
  std::string operator()(const EnumRef&) { return "NAME"; }
  std::string operator()(const std::optional<bool>*) { return "[true|false]"; }
  std::string operator()(const std::optional<std::int64_t>*) {
    return "INTEGER";
  }
  std::string operator()(const std::optional<double>*) { return "NUMBER"; }
};

}  // namespace

std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::size_t length = end - begin;
    if (used > 0) {
      const bool fits = used + 1 + length <= width;
      lines += fits ? ' ' : '\n';
      used = fits ? used + 1 : 0;
    }
    lines.append(text, begin, length);
    used += length;
    begin = end + 1;
  }
  return lines;
}

std::string placeholder(const OptionField& field) {
  return std::visit(Placeholder(), field.value);
}

std::string help_text(const OptionField& field) {
  std::string text(field.info.help);
  const std::string accepted = accepted_values(field);
  // Nothing is said by "a text".
  if (!accepted.starts_with("a text")) {
    text += " [" + accepted;
    if (!field.info.unit_name.empty()) {
      text += "; " + std::string(field.info.unit_name);
    }
    text += "]";
  }
  const Json value = value_to_json(field);
  const bool is_unset =
      value.is_null() || value == "" || (value.is_array() && value.empty());
  if (field.info.is_required) {
    text += " Required.";
  } else if (!is_unset) {
    text += " Default: " +
            (value.is_string() ? value.get<std::string>() : value.dump()) + ".";
  }
  return text;
}

}  // namespace longformer
