// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "unicode_classes.h"

namespace longformer {

/// Cuts text into the words of GPT-2's pattern
///
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///
/// without a regular expression engine: nothing is scanned twice, so any text
/// takes linear time, and there is no recursion.
class WordSplitter {
 public:
  /// `text` must be well-formed UTF-8 and outlive the splitter.
  explicit WordSplitter(std::string_view text)
      : text_(text), classes_(unicode_classes()) {}

  /// Stores the next word; false at the end. The words make up the text.
  bool next(std::string_view& word);

 private:
  struct Char {
    CharClass kind;
    std::size_t bytes;
  };

  Char char_at(std::size_t position) const;
  std::size_t contraction_at(std::size_t position) const;
  std::size_t end_of_run(std::size_t position, CharClass kind) const;
  std::size_t end_of_spaces(std::size_t position) const;

  std::string_view text_;
  const UnicodeClasses& classes_;
  std::size_t position_ = 0;
};

}  // namespace longformer
