// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/base/quoting.h"
#include "longformer/data/record.h"

namespace longformer {

/// The integer that `text` is in its shortest decimal form ("-7", not "+7",
/// "07" or " 7").
std::optional<std::int64_t> plain_integer(std::string_view text);

/// The finite number that `text` is, blanks around it and a plus sign allowed.
std::optional<double> number_in(std::string_view text);

/// Whether `text` is a number in integer notation, of any size.
bool is_integer_notation(std::string_view text);

/// `text` without blanks (ASCII white space) at both ends.
std::string_view trimmed(std::string_view text);

/// Whether `text` looks like a JSON list ("[...]").
bool is_list_text(std::string_view text);

/// The labels in a text: the elements of a JSON list, or what stands between
/// `|` signs without the blanks around it. Nothing for a blank text.
/// Throws DataError with the reason alone for a broken JSON list.
std::vector<LabelScalar> labels_in_text(std::string_view text);

/// What a label is in a message: `"spam"`, `3`, `true`, `[1, "a"]`; long ones
/// are cut.
std::string show(const LabelScalar& scalar);
std::string show(const RawLabel& label);

/// A scalar as the name of a class: text as it is, integers in decimal, "true"
/// or "false", other numbers in their shortest exact form.
std::string label_name(const LabelScalar& scalar);

/// A label in a JSON value.
/// Throws DataError with the reason alone for objects and nested lists.
RawLabel label_from_json(const Json& value);

/// "a, b, c", after 20 names "... and 480 more"; long names are cut.
std::string list_names(const std::vector<std::string>& names);

/// "1 field", "2 fields".
std::string counted(std::size_t count, const std::string& noun);

/// What a JSON value is: "null", "a number", "a list", ...
std::string kind_of_json(const Json& value);

}  // namespace longformer
