// SPDX-License-Identifier: MIT
#include "piece_text.h"

#include "longformer/base/error.h"

namespace longformer {

void PieceJoiner::add(std::string_view piece, bool special) {
  if (special) {
    text_ += piece;
    first_ = false;
    return;
  }
  if (first_ && piece.starts_with(kWordMark)) {
    piece.remove_prefix(kWordMark.size());
  }
  first_ = false;
  while (true) {
    const std::size_t mark = piece.find(kWordMark);
    text_ += piece.substr(0, mark);
    if (mark == std::string_view::npos) return;
    text_ += ' ';
    piece.remove_prefix(mark + kWordMark.size());
  }
}

void throw_no_such_token(std::int32_t id, std::int64_t count) {
  throw DataError("no token has id " + std::to_string(id) +
                  "; the tokenizer has ids from 0 to " +
                  std::to_string(count - 1));
}

}  // namespace longformer
