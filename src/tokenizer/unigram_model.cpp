// SPDX-License-Identifier: MIT
#include "unigram_model.h"

#include <algorithm>

#include "code_points.h"

namespace longformer {
namespace {

/// How much worse than the worst piece an unknown character is.
constexpr double kUnknownPenalty = 10.0;

std::uint64_t edge_key(std::uint32_t node, unsigned char byte) {
  return std::uint64_t{node} << 8 | byte;
}

std::size_t hash_key(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(key ^ (key >> 32));
}

void improve(UnigramModel::Step& step, double score, std::size_t begin,
             std::int32_t id) {
  if (step.begin == UnigramModel::Step::kUnreached || score > step.score) {
    step = {score, static_cast<std::uint32_t>(begin), id};
  }
}

}  // namespace

UnigramModel::UnigramModel(const std::vector<UnigramPiece>& pieces,
                           std::int32_t unknown,
                           const std::vector<bool>& hidden)
    : edges_(1024), piece_at_{-1}, unknown_(unknown) {
  double lowest = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    scores_.push_back(pieces[i].score);
    lowest = i == 0 ? pieces[i].score : std::min(lowest, pieces[i].score);
    if (pieces[i].text.empty() || hidden[i]) continue;
    std::uint32_t node = 0;
    for (const char byte : pieces[i].text) {
      node = add_edge(node, static_cast<unsigned char>(byte));
    }
    piece_at_[node] = static_cast<std::int32_t>(i);
  }
  unknown_score_ = lowest - kUnknownPenalty;
}

std::uint32_t UnigramModel::add_edge(std::uint32_t node, unsigned char byte) {
  const std::uint32_t known = follow(node, byte);
  if (known != 0) return known;
  if (2 * ++num_edges_ > edges_.size()) grow();
  const auto added = static_cast<std::uint32_t>(piece_at_.size());
  piece_at_.push_back(-1);
  if (node == 0) {
    first_[byte] = added;
    return added;
  }
  const std::uint64_t key = edge_key(node, byte);
  std::size_t slot = hash_key(key) & (edges_.size() - 1);
  while (edges_[slot].key != kFree) slot = (slot + 1) & (edges_.size() - 1);
  edges_[slot] = {key, added};
  return added;
}

void UnigramModel::grow() {
  std::vector<Edge> old(edges_.size() * 2);
  old.swap(edges_);
  for (const Edge& edge : old) {
    if (edge.key == kFree) continue;
    std::size_t slot = hash_key(edge.key) & (edges_.size() - 1);
    while (edges_[slot].key != kFree) slot = (slot + 1) & (edges_.size() - 1);
    edges_[slot] = edge;
  }
}

/// 0 (the root, which nothing leads to) if there is no such edge.
std::uint32_t UnigramModel::follow(std::uint32_t node,
                                   unsigned char byte) const {
  if (node == 0) return first_[byte];
  const std::uint64_t key = edge_key(node, byte);
  std::size_t slot = hash_key(key) & (edges_.size() - 1);
  while (edges_[slot].key != key) {
    if (edges_[slot].key == kFree) return 0;
    slot = (slot + 1) & (edges_.size() - 1);
  }
  return edges_[slot].node;
}

std::int32_t UnigramModel::id_of(std::string_view text) const {
  std::uint32_t node = 0;
  for (const char byte : text) {
    node = follow(node, static_cast<unsigned char>(byte));
    if (node == 0) return -1;
  }
  return piece_at_[node];
}

void UnigramModel::find_best_steps(std::string_view word,
                                   Scratch& steps) const {
  steps.assign(word.size() + 1, Step());
  for (std::size_t begin = 0; begin < word.size();) {
    const double score = steps[begin].score;
    const std::size_t first_char = code_point_at(word, begin).bytes;
    bool known = false;
    std::uint32_t node = 0;
    for (std::size_t end = begin; end < word.size();) {
      node = follow(node, static_cast<unsigned char>(word[end++]));
      if (node == 0) break;
      const std::int32_t id = piece_at_[node];
      if (id < 0) continue;
      improve(steps[end], scores_[static_cast<std::size_t>(id)] + score, begin,
              id);
      known = known || end - begin == first_char;
    }
    if (!known) {
      improve(steps[begin + first_char], unknown_score_ + score, begin,
              unknown_);
    }
    begin += first_char;
  }
}

void UnigramModel::encode(std::string_view word, Scratch& steps,
                          std::vector<std::int32_t>& ids,
                          std::vector<std::uint32_t>& bytes) const {
  find_best_steps(word, steps);
  const std::size_t first_new = ids.size();
  const std::size_t first_bytes = bytes.size();
  for (std::size_t end = word.size(); end > 0;) {
    std::size_t begin = steps[end].begin;
    const bool is_unknown = steps[end].id == unknown_;
    while (is_unknown && begin > 0 && steps[begin].id == unknown_) {
      begin = steps[begin].begin;
    }
    std::int32_t id = steps[end].id;
    if (is_unknown) {
      // Together, unknown characters may spell a piece that scored too low.
      const std::int32_t joined = id_of(word.substr(begin, end - begin));
      id = joined < 0 ? unknown_ : joined;
    }
    ids.push_back(id);
    bytes.push_back(static_cast<std::uint32_t>(end - begin));
    end = begin;
  }
  std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(first_new), ids.end());
  std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(first_bytes),
               bytes.end());
}

}  // namespace longformer
