// SPDX-License-Identifier: MIT
#include "word_splitter.h"

#include "code_points.h"

namespace longformer {

WordSplitter::Char WordSplitter::char_at(std::size_t position) const {
  const CodePoint code = code_point_at(text_, position);
  return {classes_.of(code.value), code.bytes};
}

std::size_t WordSplitter::contraction_at(std::size_t position) const {
  if (position + 1 >= text_.size()) return 0;
  const char second = text_[position + 1];
  if (second == 's' || second == 't' || second == 'm' || second == 'd') {
    return 2;
  }
  if (position + 2 >= text_.size()) return 0;
  const char third = text_[position + 2];
  const bool matches = (second == 'r' && third == 'e') ||
                       (second == 'v' && third == 'e') ||
                       (second == 'l' && third == 'l');
  return matches ? 3 : 0;
}

std::size_t WordSplitter::end_of_run(std::size_t position,
                                     CharClass kind) const {
  while (position < text_.size()) {
    const Char next = char_at(position);
    if (next.kind != kind) break;
    position += next.bytes;
  }
  return position;
}

/// White space before a word leaves its last character to that word (a blank
/// becomes part of it, anything else a word of its own).
std::size_t WordSplitter::end_of_spaces(std::size_t position) const {
  const std::size_t begin = position;
  std::size_t last = position;
  while (position < text_.size()) {
    const Char next = char_at(position);
    if (next.kind != CharClass::kSpace) {
      return last == begin ? position : last;
    }
    last = position;
    position += next.bytes;
  }
  return position;
}

bool WordSplitter::next(std::string_view& word) {
  const std::size_t begin = position_;
  if (begin >= text_.size()) return false;
  std::size_t end = 0;
  if (text_[begin] == '\'') end = contraction_at(begin);
  if (end != 0) {
    end += begin;
  } else {
    const Char first = char_at(begin);
    if (first.kind != CharClass::kSpace) {
      end = end_of_run(begin + first.bytes, first.kind);
    } else if (text_[begin] == ' ' && begin + 1 < text_.size() &&
               char_at(begin + 1).kind != CharClass::kSpace) {
      const Char second = char_at(begin + 1);
      end = end_of_run(begin + 1 + second.bytes, second.kind);
    } else {
      end = end_of_spaces(begin);
    }
  }
  word = text_.substr(begin, end - begin);
  position_ = end;
  return true;
}

}  // namespace longformer
