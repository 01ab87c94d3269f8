// SPDX-License-Identifier: MIT
#include "added_tokens.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "code_points.h"
#include "unicode_classes.h"

namespace longformer {
namespace {

std::size_t previous_start(std::string_view text, std::size_t position) {
  do {
    --position;
  } while (!starts_code_point(text[position]));
  return position;
}

/// Where the white space that ends at `position` begins, not before `floor`.
std::size_t skip_spaces_left(std::string_view text, std::size_t position,
                             std::size_t floor) {
  while (position > floor) {
    const std::size_t start = previous_start(text, position);
    if (!unicode_classes().is_space(code_point_at(text, start).value)) break;
    position = start;
  }
  return position;
}

std::size_t skip_spaces_right(std::string_view text, std::size_t position) {
  while (position < text.size()) {
    const CodePoint next = code_point_at(text, position);
    if (!unicode_classes().is_space(next.value)) break;
    position += next.bytes;
  }
  return position;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const UnicodeClasses& classes = unicode_classes();
  if (begin > 0) {
    const std::size_t before = previous_start(text, begin);
    if (classes.is_word(code_point_at(text, before).value)) return false;
  }
  return end == text.size() || !classes.is_word(code_point_at(text, end).value);
}

std::uint64_t edge(std::uint32_t node, char byte) {
  return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)), token_at_{-1} {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    std::uint32_t node = 0;
    for (const char byte : tokens_[i].content) {
      const auto [position, is_new] = edges_.emplace(
          edge(node, byte), static_cast<std::uint32_t>(token_at_.size()));
      if (is_new) token_at_.push_back(-1);
      node = position->second;
    }
    if (node == 0) continue;
    token_at_[node] = static_cast<int>(i);
    starts_token_[static_cast<unsigned char>(tokens_[i].content[0])] = true;
  }
  if (std::count(std::begin(starts_token_), std::end(starts_token_), true) ==
      1) {
    only_start_ = static_cast<int>(
        std::find(std::begin(starts_token_), std::end(starts_token_), true) -
        std::begin(starts_token_));
  }
}

std::size_t AddedTokenFinder::next_candidate(std::string_view text,
                                             std::size_t position) const {
  if (edges_.empty()) return text.size();
  if (only_start_ >= 0) {
    const void* found = std::memchr(text.data() + position, only_start_,
                                    text.size() - position);
    return found == nullptr
               ? text.size()
               : static_cast<std::size_t>(static_cast<const char*>(found) -
                                          text.data());
  }
  while (position < text.size() &&
         !starts_token_[static_cast<unsigned char>(text[position])]) {
    ++position;
  }
  return position;
}

AddedTokenFinder::Match AddedTokenFinder::longest_match(
    std::string_view text, std::size_t position) const {
  Match longest;
  std::uint32_t node = 0;
  for (std::size_t i = position; i < text.size(); ++i) {
    const auto next = edges_.find(edge(node, text[i]));
    if (next == edges_.end()) break;
    node = next->second;
    if (token_at_[node] >= 0) {
      longest = {i + 1 - position, &tokens_[token_at_[node]]};
    }
  }
  return longest;
}

void AddedTokenFinder::split(std::string_view whole_text, std::size_t begin,
                             std::size_t end,
                             std::vector<TextPiece>& pieces) const {
  const std::string_view text = whole_text.substr(begin, end - begin);
  std::size_t done = 0;  // Everything before it is in `pieces`.
  std::size_t position = 0;
  while ((position = next_candidate(text, position)) < text.size()) {
    const Match match = longest_match(text, position);
    if (match.token == nullptr) {
      ++position;
      continue;
    }
    std::size_t start = position;
    std::size_t stop = position + match.bytes;
    position = stop;
    if (match.token->single_word && !stands_alone(text, start, stop)) continue;
    if (match.token->lstrip) start = skip_spaces_left(text, start, done);
    if (match.token->rstrip) stop = skip_spaces_right(text, stop);
    if (done < start) pieces.push_back({begin + done, begin + start, nullptr});
    pieces.push_back({begin + start, begin + stop, match.token});
    done = stop;
  }
  if (done < text.size()) {
    pieces.push_back({begin + done, end, nullptr});
  }
}

}  // namespace longformer
