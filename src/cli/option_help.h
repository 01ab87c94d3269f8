// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "longformer/config/option_fields.h"

namespace longformer {

/// Breaks at blanks so that no line is longer than `width` bytes (unless a
/// word is).
std::string wrapped(const std::string& text, std::size_t width);

/// Placeholder of the value in the help: what kind of text to type.
std::string placeholder(const OptionField& field);

/// Meaning, accepted values, unit and default, for --help.
std::string help_text(const OptionField& field);

}  // namespace longformer
