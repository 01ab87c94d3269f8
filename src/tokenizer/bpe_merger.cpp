// SPDX-License-Identifier: MIT
#include "bpe_merger.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

namespace longformer {
namespace {

/// Longest word (in bytes) whose next merge is found by looking at all pairs;
/// beyond it a queue is cheaper.
constexpr std::size_t kShortWord = 48;

constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
         static_cast<std::uint32_t>(right);
}

std::uint64_t hash_pair(std::uint64_t pair) {
  pair *= 0x9E3779B97F4A7C15ULL;
  return pair ^ (pair >> 32);
}

/// Not fixed: only tables in memory depend on it.
std::uint64_t hash_word(std::string_view word) {
  std::uint64_t hash = word.size() * 0x9E3779B97F4A7C15ULL;
  const char* at = word.data();
  std::size_t left = word.size();
  const auto add = [&](std::uint64_t bits) {
    hash = (hash ^ bits) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32;
  };
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, 8);
    add(bits);
  }
  if (left >= 4) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    add(std::uint64_t{low} << 32 | high);
  } else if (left > 0) {
    const auto byte = [&](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(at[i])};
    };
    add(byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1));
  }
  return hash;
}

/// Slots of an open-addressing table for `count` entries, at most half full.
std::size_t slots_for(std::size_t count) {
  return std::bit_ceil(2 * count + 2);
}

/// Part of a word during merging in a queue; linked, because parts vanish.
struct Part {
  std::int32_t id;
  std::uint32_t bytes;  // 0: swallowed by a part to its left.
  std::uint32_t previous;
  std::uint32_t next;
};

struct QueueEntry {
  std::uint32_t rank;
  std::uint32_t position;
  std::int32_t joined;
};

/// For std::push_heap and friends, which put the largest first.
bool comes_later(const QueueEntry& a, const QueueEntry& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
}

constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace

BpeMerger::BpeMerger(
    std::vector<std::int32_t> byte_tokens, std::int32_t unknown,
    const std::vector<BpeMerge>& merges,
    const std::vector<std::pair<std::string, std::int32_t>>& words,
    bool words_win)
    : byte_tokens_(std::move(byte_tokens)), unknown_(unknown) {
  add_rules(merges);
  add_words(words, words_win);
}

void BpeMerger::add_rules(const std::vector<BpeMerge>& merges) {
  rules_.resize(slots_for(merges.size()));
  const std::size_t mask = rules_.size() - 1;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const BpeMerge& merge = merges[rank];
    const std::uint64_t pair = pair_of(merge.left, merge.right);
    std::size_t slot = hash_pair(pair) & mask;
    while (rules_[slot].pair != kNoPair && rules_[slot].pair != pair) {
      slot = (slot + 1) & mask;
    }
    rules_[slot] = {pair, static_cast<std::uint32_t>(rank), merge.joined};
  }
  std::unordered_set<std::int32_t> made;
  for (const Rule& rule : rules_) {
    if (rule.pair != kNoPair && !made.insert(rule.joined).second) {
      ambiguous_ = true;
    }
  }
}

void BpeMerger::add_words(
    const std::vector<std::pair<std::string, std::int32_t>>& words,
    bool words_win) {
  words_.resize(slots_for(words.size()));
  const std::size_t mask = words_.size() - 1;
  std::vector<std::int32_t> ids;
  for (const auto& [bytes, id] : words) {
    if (bytes.empty()) continue;
    if (!words_win) {
      ids.clear();
      merge(bytes, ids, nullptr);
      if (ids.size() != 1 || ids[0] != id) continue;
    }
    const std::uint64_t hash = hash_word(bytes);
    std::size_t slot = hash & mask;
    while (words_[slot].bytes != 0) slot = (slot + 1) & mask;
    words_[slot] = {hash, static_cast<std::uint32_t>(word_bytes_.size()),
                    static_cast<std::uint32_t>(bytes.size()), id};
    word_bytes_ += bytes;
    longest_word_ = std::max(longest_word_, words_[slot].bytes);
  }
}

const BpeMerger::Rule* BpeMerger::find_rule(std::int32_t left,
                                            std::int32_t right) const {
  const std::uint64_t pair = pair_of(left, right);
  const std::size_t mask = rules_.size() - 1;
  std::size_t slot = hash_pair(pair) & mask;
  while (rules_[slot].pair != pair) {
    if (rules_[slot].pair == kNoPair) return nullptr;
    slot = (slot + 1) & mask;
  }
  return &rules_[slot];
}

std::int32_t BpeMerger::find_word(std::string_view word) const {
  if (word.size() > longest_word_) return -1;
  const std::uint64_t hash = hash_word(word);
  const std::size_t mask = words_.size() - 1;
  for (std::size_t slot = hash & mask; words_[slot].bytes != 0;
       slot = (slot + 1) & mask) {
    const Word& entry = words_[slot];
    if (entry.hash == hash && entry.bytes == word.size() &&
        std::memcmp(word_bytes_.data() + entry.begin, word.data(),
                    word.size()) == 0) {
      return entry.id;
    }
  }
  return -1;
}

void BpeMerger::encode(std::string_view word, std::vector<std::int32_t>& ids,
                       std::vector<std::uint32_t>* bytes) const {
  const std::int32_t id = find_word(word);
  if (id < 0) {
    merge(word, ids, bytes);
    return;
  }
  ids.push_back(id);
  if (bytes != nullptr)
    bytes->push_back(static_cast<std::uint32_t>(word.size()));
}

void BpeMerger::merge(std::string_view word, std::vector<std::int32_t>& ids,
                      std::vector<std::uint32_t>* bytes) const {
  if (word.size() <= kShortWord && !ambiguous_) {
    merge_short(word, ids, bytes);
  } else {
    merge_long(word, ids, bytes);
  }
}

void BpeMerger::merge_short(std::string_view word,
                            std::vector<std::int32_t>& ids,
                            std::vector<std::uint32_t>* bytes) const {
  std::int32_t id[kShortWord];
  std::uint32_t length[kShortWord];
  std::uint32_t rank[kShortWord];  // Of the merge with the part to the right.
  std::int32_t joined[kShortWord];
  std::size_t count = 0;
  for (const char byte : word) {
    std::int32_t token = byte_tokens_[static_cast<unsigned char>(byte)];
    if (token < 0) token = unknown_;
    if (token < 0) continue;
    id[count] = token;
    length[count++] = 1;
  }
  const auto look_up = [&](std::size_t i) {
    const Rule* rule = i + 1 < count ? find_rule(id[i], id[i + 1]) : nullptr;
    rank[i] = rule == nullptr ? kNoRank : rule->rank;
    joined[i] = rule == nullptr ? -1 : rule->joined;
  };
  for (std::size_t i = 0; i < count; ++i) look_up(i);
  while (count > 1) {
    const std::size_t best =
        static_cast<std::size_t>(std::min_element(rank, rank + count) - rank);
    if (rank[best] == kNoRank) break;
    id[best] = joined[best];
    length[best] += length[best + 1];
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      id[i] = id[i + 1];
      length[i] = length[i + 1];
      rank[i] = rank[i + 1];
      joined[i] = joined[i + 1];
    }
    look_up(best);
    if (best > 0) look_up(best - 1);
  }
  ids.insert(ids.end(), id, id + count);
  if (bytes != nullptr) bytes->insert(bytes->end(), length, length + count);
}

void BpeMerger::merge_long(std::string_view word,
                           std::vector<std::int32_t>& ids,
                           std::vector<std::uint32_t>* bytes) const {
  std::vector<Part> parts;
  parts.reserve(word.size());
  for (const char byte : word) {
    std::int32_t token = byte_tokens_[static_cast<unsigned char>(byte)];
    if (token < 0) token = unknown_;
    if (token < 0) continue;
    const auto here = static_cast<std::uint32_t>(parts.size());
    parts.push_back({token, 1, here == 0 ? kNone : here - 1, here + 1});
  }
  if (parts.empty()) return;
  parts.back().next = kNone;

  std::vector<QueueEntry> queue;
  const auto propose = [&](std::uint32_t left) {
    const std::uint32_t right = parts[left].next;
    if (right == kNone) return false;
    const Rule* rule = find_rule(parts[left].id, parts[right].id);
    if (rule != nullptr) queue.push_back({rule->rank, left, rule->joined});
    return rule != nullptr;
  };
  for (std::uint32_t i = 0; i < parts.size(); ++i) propose(i);
  std::make_heap(queue.begin(), queue.end(), comes_later);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), comes_later);
    const QueueEntry entry = queue.back();
    queue.pop_back();
    Part& left = parts[entry.position];
    if (left.bytes == 0 || left.next == kNone) continue;
    Part& right = parts[left.next];
    // The pair may have changed since it was queued.
    const Rule* rule = find_rule(left.id, right.id);
    if (rule == nullptr || rule->joined != entry.joined) continue;
    left.id = entry.joined;
    left.bytes += right.bytes;
    left.next = right.next;
    right.bytes = 0;
    if (left.next != kNone) parts[left.next].previous = entry.position;
    if (left.previous != kNone && propose(left.previous)) {
      std::push_heap(queue.begin(), queue.end(), comes_later);
    }
    if (propose(entry.position)) {
      std::push_heap(queue.begin(), queue.end(), comes_later);
    }
  }
  for (std::uint32_t i = 0; i != kNone; i = parts[i].next) {
    ids.push_back(parts[i].id);
    if (bytes != nullptr) bytes->push_back(parts[i].bytes);
  }
}

}  // namespace longformer
