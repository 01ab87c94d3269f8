// SPDX-License-Identifier: MIT
#include "longformer/base/utf8.h"

#include <cstring>

namespace longformer {
namespace {

struct LeadByte {
  int length;  // Of the whole sequence; 0 = cannot start one.
  unsigned char second_low, second_high;  // Allowed range of the second byte.
};

LeadByte classify(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};  // No overlong forms.
  if (lead == 0xED) return {3, 0x80, 0x9F};  // No surrogates.
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};  // At most U+10FFFF.
  return {0, 0, 0};
}

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

DecodedCodePoint decode_utf8(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(position);
  const LeadByte kind = classify(lead);
  if (kind.length == 1) return {lead, 1, true};
  if (kind.length == 0) return {kReplacement, 1, false};
  char32_t value = lead & (0x7FU >> kind.length);
  for (int i = 1; i < kind.length; ++i) {
    const std::size_t at = position + static_cast<std::size_t>(i);
    const unsigned char low = i == 1 ? kind.second_low : 0x80;
    const unsigned char high = i == 1 ? kind.second_high : 0xBF;
    if (at >= text.size() || byte(at) < low || byte(at) > high) {
      return {kReplacement, i, false};
    }
    value = (value << 6) | (byte(at) & 0x3FU);
  }
  return {value, kind.length, true};
}

void append_utf8(char32_t code_point, std::string& out) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::size_t cut_between_characters(std::string_view text,
                                   std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text.size();
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return end;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes at a time: most text is mostly ASCII.
    if (i + 8 <= text.size()) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        i += 8;
        continue;
      }
    }
    const DecodedCodePoint decoded = decode_utf8(text, i);
    if (!decoded.valid) return i;
    i += static_cast<std::size_t>(decoded.bytes);
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text,
                                 std::int64_t* replaced) {
  std::string out;
  out.reserve(text.size());
  std::int64_t count = 0;
  while (true) {
    const std::size_t bad = find_invalid_utf8(text);
    if (bad == std::string_view::npos) break;
    out.append(text.substr(0, bad));
    append_utf8(kReplacement, out);
    text.remove_prefix(bad +
                       static_cast<std::size_t>(decode_utf8(text, bad).bytes));
    ++count;
  }
  out.append(text);
  if (replaced != nullptr) *replaced = count;
  return out;
}

}  // namespace longformer
