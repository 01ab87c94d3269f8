// SPDX-License-Identifier: MIT
#include "longformer/base/quoting.h"

#include <algorithm>

#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"

namespace longformer {

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
  std::string shown = replace_invalid_utf8(text.substr(0, max_bytes + 4));
  std::size_t end = std::min(shown.size(), max_bytes);
  if (end < shown.size()) {
    // Not in the middle of a character.
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) {
      --end;
    }
  }
  const bool is_cut = end < shown.size() || text.size() > max_bytes + 4;
  shown.resize(end);
  std::string quoted = Json(shown).dump();
  if (is_cut) quoted.insert(quoted.size() - 1, "...");
  return quoted;
}

}  // namespace longformer
