// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "longformer/data/batch_planner.h"

namespace longformer {

std::vector<EvaluationGroup> plan_evaluation(
    std::span<const std::int64_t> lengths, std::int64_t micro_batch_tokens) {
  std::vector<EvaluationGroup> groups;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (groups.empty() ||
        groups.back().tokens + lengths[i] > micro_batch_tokens) {
      groups.push_back({row, row, 0});
    }
    groups.back().end = row + 1;
    groups.back().tokens += lengths[i];
  }
  return groups;
}

std::vector<std::vector<std::int64_t>> deal_groups(
    std::span<const EvaluationGroup> groups, std::int64_t num_ranks) {
  if (num_ranks < 1) throw std::invalid_argument("deal_groups needs a rank");
  std::vector<std::size_t> largest_first(groups.size());
  std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](std::size_t a, std::size_t b) {
                     return groups[a].tokens > groups[b].tokens;
                   });
  using Load = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  const auto ranks = static_cast<std::size_t>(num_ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) loads.push({0, rank});
  std::vector<std::vector<std::int64_t>> dealt(ranks);
  for (const std::size_t group : largest_first) {
    const auto [load, rank] = loads.top();
    loads.pop();
    dealt[rank].push_back(static_cast<std::int64_t>(group));
    loads.push({load + groups[group].tokens, rank});
  }
  for (auto& rank : dealt) std::sort(rank.begin(), rank.end());
  return dealt;
}

}  // namespace longformer
