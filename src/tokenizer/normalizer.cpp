// SPDX-License-Identifier: MIT
#include "normalizer.h"

#include <algorithm>
#include <iterator>

#include "code_points.h"
#include "unicode_classes.h"

namespace longformer {
namespace {

/// Longer graphemes are normalised character by character.
constexpr std::size_t kGraphemeLimit = 6;

struct Grapheme {
  std::size_t bytes = 0;
  std::uint32_t chars = 0;
};

/// Whether nothing separates it from the character behind (property
/// Grapheme_Cluster_Break = Prepend): number signs of Arabic and Syriac, and
/// some letters of Indic scripts.
bool is_prepended(char32_t code_point) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0x600, 0x605},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
      {0x890, 0x891},     {0x8E2, 0x8E2},     {0xD4E, 0xD4E},
      {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x111C2, 0x111C3},
      {0x113D1, 0x113D1}, {0x1193F, 0x1193F}, {0x11941, 0x11941},
      {0x11A3A, 0x11A3A}, {0x11A84, 0x11A89}, {0x11D46, 0x11D46},
      {0x11F02, 0x11F02}};
  return std::any_of(std::begin(kRanges), std::end(kRanges), [&](Range range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

/// The base character at `position` with all that joins it. Only graphemes
/// below the limit matter, so that the rules for flags, emoji and syllables,
/// which are all longer, are left out.
Grapheme grapheme_at(std::string_view text, std::size_t position) {
  const UnicodeClasses& classes = unicode_classes();
  const CodePoint first = code_point_at(text, position);
  Grapheme grapheme{first.bytes, 1};
  if (first.value == '\r' && text.substr(position + 1).starts_with('\n')) {
    return {2, 2};
  }
  if (classes.is_control(first.value)) return grapheme;
  bool joins_next = is_prepended(first.value);
  for (std::size_t i = position + first.bytes; i < text.size();) {
    const CodePoint next = code_point_at(text, i);
    const bool joined = classes.joins(next.value) ||
                        (joins_next && !classes.is_control(next.value));
    if (!joined) break;
    grapheme.bytes += next.bytes;
    ++grapheme.chars;
    i += next.bytes;
    joins_next = is_prepended(next.value);
  }
  return grapheme;
}

}  // namespace

void GraphemeNormalizer::apply(std::string_view text, std::uint32_t first_index,
                               std::string& out,
                               std::vector<std::uint32_t>& origin) const {
  std::uint32_t index = first_index;
  // Characters of the replacement belong to those of `chars` old ones, in
  // order; surplus ones to the last.
  const auto replace = [&](std::string_view replacement, std::uint32_t chars) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < replacement.size();) {
      const std::size_t bytes = code_point_at(replacement, i).bytes;
      origin.insert(origin.end(), bytes, index + std::min(at, chars - 1));
      ++at;
      i += bytes;
    }
    out += replacement;
    index += chars;
  };
  for (std::size_t i = 0; i < text.size();) {
    const Grapheme grapheme = grapheme_at(text, i);
    const std::string_view whole = text.substr(i, grapheme.bytes);
    i += grapheme.bytes;
    if (grapheme.bytes < kGraphemeLimit) {
      if (const auto replacement = rules_.find_shortest(whole)) {
        replace(*replacement, grapheme.chars);
        continue;
      }
    }
    for (std::size_t j = 0; j < whole.size();) {
      const std::size_t bytes = code_point_at(whole, j).bytes;
      const std::string_view part = whole.substr(j, bytes);
      replace(rules_.find_shortest(part).value_or(part), 1);
      j += bytes;
    }
  }
}

}  // namespace longformer
