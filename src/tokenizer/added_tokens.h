// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace longformer {

/// A token whose string is found in the raw text, before any splitting.
struct AddedToken {
  std::string content;
  std::int32_t id = -1;
  bool single_word = false;  ///< Not beside word characters.
  bool lstrip = false;       ///< Swallows all white space to its left.
  bool rstrip = false;       ///< Swallows all white space to its right.
  bool normalized = false;   ///< Looked for after the others (and after
                             ///< normalisation, where there is one).
  bool special = false;      ///< Left out by decode(skip_special).
};

/// A stretch of text between added tokens, or one such token.
struct TextPiece {
  std::size_t begin = 0;  ///< Bytes of the text.
  std::size_t end = 0;
  const AddedToken* token = nullptr;  ///< Null for ordinary text.
};

/// Finds added tokens in a text: leftmost, longest first, case-sensitive.
class AddedTokenFinder {
 public:
  /// `tokens` may hold empty contents; they are never found.
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);
  AddedTokenFinder() : AddedTokenFinder(std::vector<AddedToken>{}) {}
  /// Pieces point to the tokens in here.
  AddedTokenFinder(const AddedTokenFinder&) = delete;
  AddedTokenFinder& operator=(const AddedTokenFinder&) = delete;

  /// Appends the pieces of text[begin, end), none of them empty. Cost: linear
  /// in the text times the longest token.
  void split(std::string_view text, std::size_t begin, std::size_t end,
             std::vector<TextPiece>& pieces) const;

  const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  struct Match {
    std::size_t bytes = 0;
    const AddedToken* token = nullptr;
  };

  std::size_t next_candidate(std::string_view text, std::size_t position) const;
  Match longest_match(std::string_view text, std::size_t position) const;

  std::vector<AddedToken> tokens_;
  /// A trie: (node, byte) to node; and the token that ends at a node, or -1.
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;
  std::vector<int> token_at_;
  bool starts_token_[256] = {};
  /// The only byte that starts a token, or -1.
  int only_start_ = -1;
};

}  // namespace longformer
