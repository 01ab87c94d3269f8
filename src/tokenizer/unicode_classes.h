// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace longformer {

/// What the split pattern of byte-level BPE distinguishes: \p{L}, \p{N}, \s
/// (the property White_Space) and everything else.
enum class CharClass : std::uint8_t { kOther, kLetter, kNumber, kSpace };

/// Class of every code point, as the reference tokenizer sees it (letters and
/// numbers of about Unicode 16).
class UnicodeClasses {
 public:
  UnicodeClasses();

  CharClass of(char32_t code_point) const {
    return static_cast<CharClass>(entry(code_point) & 3);
  }
  bool is_space(char32_t code_point) const {
    return of(code_point) == CharClass::kSpace;
  }
  /// Whether it joins the character before to one grapheme (Unicode annex 29:
  /// Extend, SpacingMark, ZWJ), unless that one is a control.
  bool joins(char32_t code_point) const { return entry(code_point) & 8; }
  bool is_control(char32_t code_point) const { return entry(code_point) & 16; }
  /// \w of regular expressions: decides where single-word tokens may stand.
  bool is_word(char32_t code_point) const { return entry(code_point) & 4; }

 private:
  std::uint8_t entry(char32_t code_point) const {
    return blocks_[block_[code_point >> 8] * std::size_t{256} +
                   (code_point & 0xFF)];
  }

  /// Equal blocks of 256 code points are stored once.
  std::array<std::uint16_t, 0x110000 / 256> block_;
  std::vector<std::uint8_t> blocks_;
};

/// The one instance, made at the first call.
const UnicodeClasses& unicode_classes();

}  // namespace longformer
