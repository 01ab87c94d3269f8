// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace longformer {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// Decodes at `position`; the text must be well-formed (unlike decode_utf8,
/// which checks and is slower).
inline CodePoint code_point_at(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(
        static_cast<unsigned char>(text[position + i]));
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) {
    return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  }
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
              (byte(3) & 0x3F),
          4};
}

inline bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Turns ascending byte positions of a text into code points.
class CodePointCounter {
 public:
  explicit CodePointCounter(std::string_view text) : text_(text) {}

  /// Number of code points that start before `byte`. Calls must not go back
  /// by more than the longest token; going back costs what going forward does.
  std::uint32_t before(std::size_t byte) {
    for (; position_ < byte; ++position_) {
      count_ += starts_code_point(text_[position_]) ? 1 : 0;
    }
    for (; position_ > byte; --position_) {
      count_ -= starts_code_point(text_[position_ - 1]) ? 1 : 0;
    }
    return count_;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace longformer
