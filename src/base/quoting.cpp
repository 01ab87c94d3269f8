// SPDX-License-Identifier: MIT
#include "longformer/base/quoting.h"

#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"

namespace longformer {

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
  std::string shown = replace_invalid_utf8(text.substr(0, max_bytes + 4));
  const std::size_t end = cut_between_characters(shown, max_bytes);
  const bool is_cut = end < shown.size() || text.size() > max_bytes + 4;
  shown.resize(end);
  std::string quoted = Json(shown).dump();
  if (is_cut) quoted.insert(quoted.size() - 1, "...");
  return quoted;
}

std::string printable(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  const std::string valid = replace_invalid_utf8(text);
  std::string shown;
  const auto add_code = [&](unsigned char code) {
    shown += "\\x";
    shown += kDigits[code >> 4];
    shown += kDigits[code & 15];
  };
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    // U+0080 to U+009F are control characters too.
    const bool is_second_set =
        c == 0xC2 && static_cast<unsigned char>(valid[i + 1]) < 0xA0;
    if (is_second_set) {
      add_code(static_cast<unsigned char>(valid[++i]));
    } else if (is_control) {
      add_code(c);
    } else {
      shown += valid[i];
    }
  }
  return shown;
}

}  // namespace longformer
