// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "charsmap.h"

namespace longformer {

/// Normalises text by SentencePiece's compiled rules in the way of the
/// `tokenizers` library, which applies them to graphemes and single characters
/// where SentencePiece applies the longest rule that fits.
class GraphemeNormalizer {
 public:
  explicit GraphemeNormalizer(Charsmap rules) : rules_(std::move(rules)) {}

  /// Appends the normal form of `text` (well-formed UTF-8) to `out`, and for
  /// each appended byte the index of the code point of `text` it came from,
  /// counted from `first_index`. Cost: linear.
  void apply(std::string_view text, std::uint32_t first_index, std::string& out,
             std::vector<std::uint32_t>& origin) const;

 private:
  Charsmap rules_;
};

}  // namespace longformer
