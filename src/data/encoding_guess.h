// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// What the zero bytes of a text say about its encoding: text that is mostly
/// ASCII has them in a regular pattern.
enum class WideEncoding {
  kNone,
  kUtf16Little,
  kUtf16Big,
  kUtf32Little,
  kUtf32Big
};
WideEncoding guess_wide_encoding(std::string_view sample);

/// Whether `sample` switches character sets with escape sequences
/// (ISO-2022-JP), which would otherwise pass for ASCII.
bool has_iso_2022_escapes(std::string_view sample);

/// Why `text`, which is not well-formed UTF-8, is to be refused: it looks like
/// another encoding, and what to do. Nothing if it looks like UTF-8 with some
/// damaged places. Before it there were `well_formed` characters beyond ASCII.
std::optional<std::string> foreign_encoding(std::string_view text,
                                            std::int64_t well_formed = 0);

}  // namespace longformer
