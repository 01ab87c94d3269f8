// SPDX-License-Identifier: MIT
#include "longformer/config/csv_dialect.h"

#include <array>
#include <string_view>
#include <utility>

namespace longformer {
namespace {

/// A character that can separate or surround fields: not an end of a line,
/// and one byte long.
std::optional<CsvCharacter> single_character(const std::string& option) {
  if (option.size() != 1) return std::nullopt;
  const char letter = option.front();
  const bool is_ascii = static_cast<unsigned char>(letter) < 0x80;
  if (!is_ascii || letter == '\n' || letter == '\r' || letter == '\0') {
    return std::nullopt;
  }
  return CsvCharacter{CsvCharacter::Kind::kCharacter, letter};
}

}  // namespace

std::optional<CsvCharacter> csv_delimiter_of(const std::string& option) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kNamed{
      {{"tab", '\t'},
       {"\\t", '\t'},
       {"comma", ','},
       {"semicolon", ';'},
       {"pipe", '|'},
       {"space", ' '}}};
  if (option == "auto") return CsvCharacter{};
  for (const auto& [name, letter] : kNamed) {
    if (option == name) {
      return CsvCharacter{CsvCharacter::Kind::kCharacter, letter};
    }
  }
  return single_character(option);
}

std::optional<CsvCharacter> csv_quote_of(const std::string& option) {
  if (option == "auto") return CsvCharacter{};
  if (option == "none") return CsvCharacter{CsvCharacter::Kind::kNone};
  return single_character(option);
}

}  // namespace longformer
