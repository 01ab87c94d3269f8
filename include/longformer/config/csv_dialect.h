// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace longformer {

/// What an option `csv_delimiter` or `csv_quote` asks for.
struct CsvCharacter {
  enum class Kind { kAuto, kNone, kCharacter };
  Kind kind = Kind::kAuto;
  char character = '\0';  ///< Only for kCharacter; one byte, ASCII.

  bool operator==(const CsvCharacter&) const = default;
};

/// The meaning of `csv_delimiter`: "auto", "tab", "comma", "semicolon",
/// "pipe", "space" or one ASCII character. Nothing if it is none of these.
std::optional<CsvCharacter> csv_delimiter_of(const std::string& option);

/// The meaning of `csv_quote`: "auto", "none" or one ASCII character.
std::optional<CsvCharacter> csv_quote_of(const std::string& option);

}  // namespace longformer
