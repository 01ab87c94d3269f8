// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/option_fields.h"

namespace longformer {

/// The value as JSON: enums as their names, what is unset as null.
Json value_to_json(const OptionField& field);

/// Sets the value. Types are strict: no text for a number, no 1e3 or 3.0 for a
/// whole number. Returns what is wrong ("expected ..., got ..."), and leaves
/// the value alone then.
std::optional<std::string> set_value(const OptionField& field,
                                     const Json& json);

/// How a text is understood.
enum class TextRules {
  /// As typed: numbers as in JSON, strings literally.
  kCommandLine,
  /// As platforms send it: may be JSON-encoded (several times), blanks around
  /// a value do not count, 3.0 may stand for 3. Strings stay strings: the text
  /// 123 does not become a number.
  kPlatform,
};

/// Sets the value from text. Several texts are the items of a list; a text that
/// is a JSON list counts as its items. Returns what is wrong, as set_value.
std::optional<std::string> set_value_from_text(
    const OptionField& field, const std::vector<std::string>& texts,
    TextRules rules);

/// What values the option takes, for messages and documents: "a whole number
/// of at least 1", "linear, cosine or constant".
std::string accepted_values(const OptionField& field);

/// `value` as it is shown in messages: JSON, shortened, always valid UTF-8.
std::string shown(const Json& value);

}  // namespace longformer
