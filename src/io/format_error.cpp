// SPDX-License-Identifier: MIT
#include "format_error.h"

#include "longformer/base/utf8.h"

namespace longformer {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxBytes = 240;
  const bool is_cut = text.size() > kMaxBytes;
  std::string out = "\"";
  for (const char c : replace_invalid_utf8(text.substr(0, kMaxBytes))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  return out + (is_cut ? "...\"" : "\"");
}

void fail_tensor(std::string_view name, const std::string& reason) {
  throw FormatError("tensor " + in_quotes(name) + ": " + reason);
}

}  // namespace longformer
