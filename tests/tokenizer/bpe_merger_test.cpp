// SPDX-License-Identifier: MIT
#include "bpe_merger.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "longformer/base/random.h"

namespace longformer::test {
namespace {

using Ids = std::vector<std::int32_t>;
using Words = std::vector<std::pair<std::string, std::int32_t>>;

/// A vocabulary of merges over a few letters, drawn at random.
struct RandomBpe {
  explicit RandomBpe(std::uint64_t seed, int letters, int num_merges) {
    RandomStream random({static_cast<std::uint32_t>(seed), 1}, 0);
    byte_tokens.assign(256, -1);
    for (int i = 0; i < letters; ++i) {
      byte_tokens[static_cast<std::size_t>('a' + i)] = i;
      words.emplace_back(std::string(1, static_cast<char>('a' + i)), i);
    }
    while (std::ssize(merges) < num_merges) {
      const auto left = random.next_below(words.size());
      const auto right = random.next_below(words.size());
      const std::string text = words[left].first + words[right].first;
      const bool known =
          std::any_of(words.begin(), words.end(),
                      [&](const auto& word) { return word.first == text; });
      if (known || text.size() > 12) continue;
      const auto joined = static_cast<std::int32_t>(words.size());
      merges.push_back({words[left].second, words[right].second, joined});
      words.emplace_back(text, joined);
    }
  }

  BpeMerger merger() const {
    return BpeMerger(byte_tokens, -1, merges, words, false);
  }

  /// The definition, word for word: the earliest merge, leftmost first.
  Ids slow_encode(std::string_view word) const {
    Ids ids;
    for (const char c : word) {
      ids.push_back(byte_tokens[static_cast<unsigned char>(c)]);
    }
    while (true) {
      std::size_t best = merges.size();
      std::size_t where = 0;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        for (std::size_t rank = 0; rank < best; ++rank) {
          if (merges[rank].left == ids[i] && merges[rank].right == ids[i + 1]) {
            best = rank;
            where = i;
          }
        }
      }
      if (best == merges.size()) return ids;
      ids[where] = merges[best].joined;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
  }

  std::vector<std::int32_t> byte_tokens;
  std::vector<BpeMerge> merges;
  Words words;
};

TEST(BpeMergerTest, ShortAndLongWordsFollowTheDefinition) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomBpe bpe(seed, 3, 30);
    const BpeMerger merger = bpe.merger();
    RandomStream random({static_cast<std::uint32_t>(seed), 2}, 0);
    for (int trial = 0; trial < 60; ++trial) {
      std::string word;
      const auto size = 1 + random.next_below(trial % 4 == 0 ? 150 : 30);
      for (std::uint64_t i = 0; i < size; ++i) {
        word += static_cast<char>('a' + random.next_below(3));
      }
      Ids ids;
      std::vector<std::uint32_t> bytes;
      merger.encode(word, ids, &bytes);
      ASSERT_EQ(ids, bpe.slow_encode(word)) << seed << " " << word;
      std::string joined;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string& text =
            bpe.words[static_cast<std::size_t>(ids[i])].first;
        EXPECT_EQ(text.size(), bytes[i]);
        joined += text;
      }
      EXPECT_EQ(joined, word);
    }
  }
}

TEST(BpeMergerTest, BytesWithoutTokenAreUnknownOrLeftOut) {
  const RandomBpe bpe(1, 2, 0);
  Ids ids;
  BpeMerger(bpe.byte_tokens, -1, {}, bpe.words, false)
      .encode("a?b", ids, nullptr);
  EXPECT_EQ(ids, (Ids{0, 1}));
  ids.clear();
  BpeMerger(bpe.byte_tokens, 9, {}, bpe.words, false)
      .encode("a?b", ids, nullptr);
  EXPECT_EQ(ids, (Ids{0, 9, 1}));
}

TEST(BpeMergerTest, WordsThatAreTokensCanWinOverMerges) {
  const RandomBpe bpe(1, 2, 0);
  Words words = bpe.words;
  words.emplace_back("ab", 7);
  Ids ids;
  BpeMerger(bpe.byte_tokens, -1, {}, words, true).encode("ab", ids, nullptr);
  EXPECT_EQ(ids, Ids{7});
  ids.clear();
  BpeMerger(bpe.byte_tokens, -1, {}, words, false).encode("ab", ids, nullptr);
  EXPECT_EQ(ids, (Ids{0, 1}));
}

TEST(BpeMergerTest, OfEqualPairsTheLastMergeCounts) {
  const RandomBpe bpe(1, 3, 0);
  // a+b comes first and again last; b+c in between wins for "abc".
  const std::vector<BpeMerge> merges = {{0, 1, 10}, {1, 2, 11}, {0, 1, 10}};
  Ids ids;
  BpeMerger(bpe.byte_tokens, -1, merges, bpe.words, false)
      .encode("abc", ids, nullptr);
  EXPECT_EQ(ids, (Ids{0, 11}));
}

}  // namespace
}  // namespace longformer::test
