// SPDX-License-Identifier: MIT
#include "byte_level_bpe.h"

#include <algorithm>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

#include "byte_alphabet.h"
#include "unicode_classes.h"
#include "word_splitter.h"

namespace longformer {
namespace {

/// White space at both ends of a string, in code points.
std::pair<std::uint32_t, std::uint32_t> count_spaces(std::string_view text) {
  std::uint32_t leading = 0;
  std::uint32_t trailing = 0;
  bool only_spaces = true;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint code = code_point_at(text, i);
    if (unicode_classes().is_space(code.value)) {
      ++trailing;
      if (only_spaces) ++leading;
    } else {
      trailing = 0;
      only_spaces = false;
    }
    i += code.bytes;
  }
  return {leading, trailing};
}

}  // namespace

std::string ByteLevelBpe::description() const {
  return "byte-level BPE, " + std::to_string(ids_.size()) + " tokens, " +
         std::to_string(num_merges_) + " merges" +
         (add_prefix_space_ ? ", with prefix blank" : "");
}

void ByteLevelBpe::tokenize(std::string_view text,
                            std::vector<std::int32_t>& ids,
                            std::vector<Span>* spans) const {
  std::vector<TextPiece> outer;
  std::vector<TextPiece> pieces;
  finder_->split(text, 0, text.size(), outer);
  for (const TextPiece& piece : outer) {
    if (piece.token != nullptr) {
      pieces.push_back(piece);
    } else {
      normalized_finder_->split(text, piece.begin, piece.end, pieces);
    }
  }
  CodePointCounter counter(text);
  for (const TextPiece& piece : pieces) {
    if (piece.token == nullptr) {
      tokenize_stretch(text, piece.begin, piece.end, counter, ids, spans);
      continue;
    }
    ids.push_back(piece.token->id);
    if (spans == nullptr) continue;
    const auto [leading, trailing] =
        count_spaces(text.substr(piece.begin, piece.end - piece.begin));
    const std::uint32_t begin = counter.before(piece.begin);
    spans->push_back({begin, counter.before(piece.end), leading, trailing});
  }
}

void ByteLevelBpe::tokenize_stretch(std::string_view text, std::size_t begin,
                                    std::size_t end, CodePointCounter& counter,
                                    std::vector<std::int32_t>& ids,
                                    std::vector<Span>* spans) const {
  std::string_view stretch = text.substr(begin, end - begin);
  std::string with_prefix;
  const bool prefix = add_prefix_space_ && stretch.front() != ' ';
  if (prefix) {
    with_prefix.reserve(stretch.size() + 1);
    with_prefix += ' ';
    with_prefix += stretch;
    stretch = with_prefix;
  }
  const std::size_t first_id = ids.size();
  std::vector<std::uint32_t> bytes;
  std::vector<std::uint32_t>* const bytes_out =
      spans == nullptr ? nullptr : &bytes;
  // Ordinary text has about four bytes a token.
  if (stretch.size() > 4096) ids.reserve(ids.size() + stretch.size() / 4);
  if (split_words_) {
    WordSplitter words(stretch);
    std::string_view word;
    while (words.next(word)) merger_->encode(word, ids, bytes_out);
  } else {
    merger_->encode(stretch, ids, bytes_out);
  }
  if (spans != nullptr) {
    add_spans(begin, prefix ? 1 : 0, first_id, bytes, counter, ids, *spans);
  }
}

/// A token that ends or begins inside a character stands for all of it; a
/// prefix blank stands for the character it was put before.
void ByteLevelBpe::add_spans(std::size_t begin, std::size_t prefix,
                             std::size_t first_id,
                             const std::vector<std::uint32_t>& bytes,
                             CodePointCounter& counter,
                             const std::vector<std::int32_t>& ids,
                             std::vector<Span>& spans) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t token_begin = at < prefix ? 0 : at - prefix;
    at += bytes[i];
    const std::size_t token_end = at <= prefix ? 1 : at - prefix;
    const Token& token = tokens_[static_cast<std::size_t>(ids[first_id + i])];
    const std::uint32_t first = counter.before(begin + token_begin + 1) - 1;
    spans.push_back({first, counter.before(begin + token_end),
                     token.leading_spaces, token.trailing_spaces});
  }
}

std::string ByteLevelBpe::decode(std::span<const std::int32_t> ids,
                                 bool skip_special) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    const auto index = static_cast<std::size_t>(id);
    if (id < 0 || index >= tokens_.size() || !tokens_[index].exists) {
      throw DataError("no token has id " + std::to_string(id) +
                      "; the tokenizer has ids from 0 to " +
                      std::to_string(tokens_.size() - 1));
    }
    if (skip_special && tokens_[index].special) continue;
    bytes += tokens_[index].bytes;
  }
  return replace_invalid_utf8(bytes);
}

std::int32_t ByteLevelBpe::token_id(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? -1 : found->second;
}

std::string ByteLevelBpe::token_text(std::int32_t id) const {
  return tokens_.at(static_cast<std::size_t>(id)).text;
}

}  // namespace longformer
