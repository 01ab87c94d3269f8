// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longformer {

/// U+2581, which SentencePiece writes for a blank; pieces that begin a word
/// start with it.
inline constexpr std::string_view kWordMark = "\xE2\x96\x81";

/// Joins pieces to a text: marks become blanks, but none at the start.
class PieceJoiner {
 public:
  /// Special tokens are taken literally.
  void add(std::string_view piece, bool special);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

/// Throws DataError: `id` is none of the `count` ids from 0 on.
[[noreturn]] void throw_no_such_token(std::int32_t id, std::int64_t count);

}  // namespace longformer
