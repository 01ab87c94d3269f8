// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// GPT-2's alphabet: each byte has a printable code point, so that
/// vocabularies of bytes can be stored as text. Printable ASCII and most of
/// Latin-1 stand for themselves; the others are U+0100 and up, so a blank is
/// U+0120.
char32_t byte_symbol(unsigned char byte);

/// The bytes that a string of such code points stands for; nullopt if it has
/// any other code point.
std::optional<std::string> bytes_of_symbols(std::string_view symbols);

/// The inverse of bytes_of_symbols.
std::string symbols_of_bytes(std::string_view bytes);

}  // namespace longformer
