// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// Somebody else's text for a message: in double quotes, on one line, always
/// valid UTF-8, cut to about `max_bytes` bytes with "..." at the end.
std::string in_quotes(std::string_view text, std::size_t max_bytes = 120);

/// Text that may be shown on a terminal: control characters become "\\x1b",
/// ill-formed UTF-8 becomes U+FFFD. Line feeds and tabs stay.
std::string printable(std::string_view text);

}  // namespace longformer
