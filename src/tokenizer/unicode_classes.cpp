// SPDX-License-Identifier: MIT
#include "unicode_classes.h"

#include <map>
#include <span>

namespace longformer {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

#include "unicode_classes.inc"

void mark(std::span<const CodePointRange> ranges, std::uint8_t bits,
          std::vector<std::uint8_t>& entries) {
  for (const CodePointRange& range : ranges) {
    for (char32_t code = range.first; code <= range.last; ++code) {
      entries[code] |= bits;
    }
  }
}

}  // namespace

UnicodeClasses::UnicodeClasses() {
  std::vector<std::uint8_t> entries(0x110000, 0);
  mark(kLetterRanges, static_cast<std::uint8_t>(CharClass::kLetter), entries);
  mark(kNumberRanges, static_cast<std::uint8_t>(CharClass::kNumber), entries);
  mark(kSpaceRanges, static_cast<std::uint8_t>(CharClass::kSpace), entries);
  mark(kWordRanges, 4, entries);
  mark(kJoinerRanges, 8, entries);
  mark(kControlRanges, 16, entries);
  std::map<std::vector<std::uint8_t>, std::uint16_t> known;
  for (std::size_t i = 0; i < block_.size(); ++i) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(i * 256);
    const std::vector<std::uint8_t> block(begin, begin + 256);
    const auto [position, is_new] =
        known.emplace(block, static_cast<std::uint16_t>(known.size()));
    if (is_new) blocks_.insert(blocks_.end(), block.begin(), block.end());
    block_[i] = position->second;
  }
}

const UnicodeClasses& unicode_classes() {
  static const UnicodeClasses classes;
  return classes;
}

}  // namespace longformer
