// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longformer {

/// Joins the two tokens `left` and `right` into `joined`.
struct BpeMerge {
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::int32_t joined = -1;
};

/// What byte-level BPE does inside a word: start from the bytes, then apply
/// again and again the earliest listed merge that fits anywhere, leftmost
/// first (Sennrich et al. 2016, arXiv:1508.07909).
///
/// Threads: const members may be called from several threads; there is no
/// cache. Almost all words are one look-up in a table of the words that end as
/// a single token, which is made once; the others are short, so merging them
/// costs less than sharing what other threads found.
class BpeMerger {
 public:
  /// byte_tokens: 256 ids, -1 where a byte has none (it is then `unknown`, or
  ///   left out if that is -1 too). merges: best first; of equal pairs the last
  ///   one counts. words: byte strings of tokens with their ids.
  /// words_win: a word that is a token is that token, whatever the merges say.
  BpeMerger(std::vector<std::int32_t> byte_tokens, std::int32_t unknown,
            const std::vector<BpeMerge>& merges,
            const std::vector<std::pair<std::string, std::int32_t>>& words,
            bool words_win);

  /// Appends the ids of `word`, and to `bytes`, if given, the number of bytes
  /// of each. Cost: O(n log n) for n bytes; no recursion.
  void encode(std::string_view word, std::vector<std::int32_t>& ids,
              std::vector<std::uint32_t>* bytes) const;

 private:
  /// A merge as found by its pair; rank is its place in the list.
  struct Rule {
    std::uint64_t pair = kNoPair;
    std::uint32_t rank = 0;
    std::int32_t joined = -1;
  };
  struct Word {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;  ///< In word_bytes_.
    std::uint32_t bytes = 0;  ///< 0 marks a free slot.
    std::int32_t id = -1;
  };
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};

  void add_rules(const std::vector<BpeMerge>& merges);
  void add_words(const std::vector<std::pair<std::string, std::int32_t>>& words,
                 bool words_win);
  const Rule* find_rule(std::int32_t left, std::int32_t right) const;
  std::int32_t find_word(std::string_view word) const;
  void merge(std::string_view word, std::vector<std::int32_t>& ids,
             std::vector<std::uint32_t>* bytes) const;
  void merge_short(std::string_view word, std::vector<std::int32_t>& ids,
                   std::vector<std::uint32_t>* bytes) const;
  void merge_long(std::string_view word, std::vector<std::int32_t>& ids,
                  std::vector<std::uint32_t>* bytes) const;

  std::vector<std::int32_t> byte_tokens_;
  std::int32_t unknown_;
  std::vector<Rule> rules_;  ///< Open addressing, a power of two of slots.
  std::vector<Word> words_;  ///< Likewise.
  std::string word_bytes_;
  std::uint32_t longest_word_ = 0;
  /// Two merges give the same token: the order of their queue entries shows
  /// in the result then, so that words of every length go through the queue.
  bool ambiguous_ = false;
};

}  // namespace longformer
