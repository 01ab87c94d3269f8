// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longformer {

/// One step of decoding: a code point and the bytes it took. Ill-formed bytes
/// give U+FFFD for each maximal subpart (Unicode 15, section 3.9, table 3-8),
/// as Python's errors="replace" does, with `valid` false.
struct DecodedCodePoint {
  char32_t code_point = 0;
  int bytes = 0;
  bool valid = true;
};

/// Decodes at `position` < text.size().
DecodedCodePoint decode_utf8(std::string_view text, std::size_t position);

/// Appends the UTF-8 form of `code_point` (a Unicode scalar value).
void append_utf8(char32_t code_point, std::string& out);

/// Where to cut valid UTF-8 so that at most `max_bytes` bytes stay and no
/// character is in two.
std::size_t cut_between_characters(std::string_view text,
                                   std::size_t max_bytes);

/// Offset of the first ill-formed byte, or npos when `text` is valid UTF-8.
std::size_t find_invalid_utf8(std::string_view text);

/// `text` with every maximal ill-formed subpart replaced by U+FFFD;
/// `replaced`, if given, receives their number.
std::string replace_invalid_utf8(std::string_view text,
                                 std::int64_t* replaced = nullptr);

}  // namespace longformer
