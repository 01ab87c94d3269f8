// SPDX-License-Identifier: MIT
#include "longformer/data/batch_planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace longformer {
namespace {

/// Costs as integers: sums do not depend on the order of adding, so that every
/// rank arrives at the same plan.
using Cost = std::int64_t;

struct Item {
  PlannedDocument document;
  std::int64_t tokens = 0;
  Cost cost = 0;
};

/// Longest first, equal ones in the order of the batch.
bool goes_first(const Item& a, const Item& b) {
  return std::tuple(-a.cost, -a.tokens, a.document.batch_index) <
         std::tuple(-b.cost, -b.tokens, b.document.batch_index);
}

std::vector<Item> sorted_items(std::span<const std::int64_t> rows,
                               std::span<const std::int64_t> lengths,
                               const CostModel& model) {
  std::vector<Item> items;
  items.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t tokens = lengths[static_cast<std::size_t>(rows[i])];
    items.push_back({{static_cast<std::int32_t>(i), rows[i]},
                     tokens,
                     std::llround(model.cost(tokens) * 1024)});
  }
  std::sort(items.begin(), items.end(), goes_first);
  return items;
}

/// Longest processing time first: each item to the least loaded of `parts`.
template <class Size>
std::vector<std::vector<Item>> deal(const std::vector<Item>& items,
                                    std::size_t parts, Size size) {
  using Load = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t part = 0; part < parts; ++part) loads.push({0, part});
  std::vector<std::vector<Item>> dealt(parts);
  for (const Item& item : items) {
    const auto [load, part] = loads.top();
    loads.pop();
    dealt[part].push_back(item);
    loads.push({load + size(item), part});
  }
  return dealt;
}

/// The documents of all ranks, and exchanges between them that take work from
/// the slowest. With few long documents per rank, dealing alone leaves several
/// percent.
class Balance {
 public:
  explicit Balance(std::vector<std::vector<Item>>& ranks) : ranks_(ranks) {
    for (const auto& rank : ranks_) {
      Cost load = 0;
      for (const Item& item : rank) load += item.cost;
      loads_.push_back(load);
      total_ += load;
    }
  }

  void improve() {
    // Each exchange lowers the maximum; usually fewer than ten are needed.
    for (int round = 0; round < 200; ++round) {
      const std::size_t slowest = static_cast<std::size_t>(
          std::max_element(loads_.begin(), loads_.end()) - loads_.begin());
      const double mean =
          static_cast<double>(total_) / static_cast<double>(ranks_.size());
      if (static_cast<double>(loads_[slowest]) <= 1.001 * mean) return;
      if (!relieve(slowest)) return;
    }
  }

 private:
  /// Gives item `give` of the slowest rank to rank `to` and takes back `take`
  /// (none if npos).
  struct Exchange {
    std::size_t to = 0;
    std::size_t give = 0;
    std::size_t take = 0;
    Cost worse = 0;  ///< The larger load of the two afterwards.
  };
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

  bool relieve(std::size_t slowest) {
    Exchange best;
    best.worse = loads_[slowest];
    for (std::size_t to = 0; to < ranks_.size(); ++to) {
      if (to != slowest) find_exchange(slowest, to, best);
    }
    if (best.worse == loads_[slowest]) return false;
    apply(slowest, best);
    return true;
  }

  void find_exchange(std::size_t from, std::size_t to, Exchange& best) {
    const Cost gap = loads_[from] - loads_[to];
    const std::vector<Item>& theirs = ranks_[to];
    const auto consider = [&](std::size_t give, std::size_t take) {
      const Cost back = take == kNothing ? 0 : theirs[take].cost;
      const Cost moved = ranks_[from][give].cost - back;
      if (moved <= 0 || moved >= gap) return;
      const Cost worse = std::max(loads_[from] - moved, loads_[to] + moved);
      if (worse < best.worse) best = {to, give, take, worse};
    };
    for (std::size_t give = 0; give < ranks_[from].size(); ++give) {
      consider(give, kNothing);
      // The best partner lets half of the gap change sides. `theirs` is
      // sorted, most expensive first.
      const Cost wanted = ranks_[from][give].cost - gap / 2;
      const auto after = std::partition_point(
          theirs.begin(), theirs.end(),
          [&](const Item& item) { return item.cost > wanted; });
      const auto index = static_cast<std::size_t>(after - theirs.begin());
      if (index < theirs.size()) consider(give, index);
      if (index > 0) consider(give, index - 1);
    }
  }

  void apply(std::size_t from, const Exchange& exchange) {
    std::vector<Item>& ours = ranks_[from];
    std::vector<Item>& theirs = ranks_[exchange.to];
    const Item given = ours[exchange.give];
    ours.erase(ours.begin() + static_cast<std::ptrdiff_t>(exchange.give));
    Cost moved = given.cost;
    if (exchange.take != kNothing) {
      const Item taken = theirs[exchange.take];
      theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(exchange.take));
      ours.insert(std::upper_bound(ours.begin(), ours.end(), taken, goes_first),
                  taken);
      moved -= taken.cost;
    }
    theirs.insert(
        std::upper_bound(theirs.begin(), theirs.end(), given, goes_first),
        given);
    loads_[from] -= moved;
    loads_[exchange.to] += moved;
  }

  std::vector<std::vector<Item>>& ranks_;
  std::vector<Cost> loads_;
  Cost total_ = 0;
};

std::int64_t tokens_of(const std::vector<Item>& items) {
  std::int64_t tokens = 0;
  for (const Item& item : items) tokens += item.tokens;
  return tokens;
}

/// Best-fit decreasing: each item into the fullest bin that still takes it.
std::vector<std::vector<Item>> best_fit(const std::vector<Item>& items,
                                        std::int64_t capacity) {
  std::vector<std::vector<Item>> bins;
  std::set<std::pair<std::int64_t, std::size_t>> room;  // (free, bin)
  for (const Item& item : items) {
    const auto place = room.lower_bound({item.tokens, 0});
    if (place == room.end()) {
      bins.push_back({item});
      room.insert({capacity - item.tokens, bins.size() - 1});
      continue;
    }
    const auto [free, bin] = *place;
    room.erase(place);
    bins[bin].push_back(item);
    room.insert({free - item.tokens, bin});
  }
  return bins;
}

/// As few bins as best_fit needs, but evenly filled where that is possible: the
/// largest micro-batch decides the memory.
std::vector<std::vector<Item>> pack_bins(const std::vector<Item>& items,
                                         std::int64_t capacity) {
  auto bins = best_fit(items, capacity);
  if (bins.size() < 2) return bins;
  auto even =
      deal(items, bins.size(), [](const Item& item) { return item.tokens; });
  for (const auto& bin : even) {
    if (tokens_of(bin) > capacity) return bins;
  }
  return even;
}

MicroBatch make_micro_batch(const std::vector<Item>& items) {
  MicroBatch batch;
  for (const Item& item : items) {
    batch.documents.push_back(item.document);
    batch.tokens += item.tokens;
  }
  std::sort(batch.documents.begin(), batch.documents.end(),
            [](const PlannedDocument& a, const PlannedDocument& b) {
              return a.batch_index < b.batch_index;
            });
  return batch;
}

std::vector<MicroBatch> pack_rank(std::vector<Item> items,
                                  std::int64_t capacity) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tuple(-a.tokens, a.document.batch_index) <
           std::tuple(-b.tokens, b.document.batch_index);
  });
  const auto fits = std::partition_point(
      items.begin(), items.end(),
      [&](const Item& item) { return item.tokens >= capacity; });
  std::vector<MicroBatch> batches;
  for (auto item = items.begin(); item != fits; ++item) {
    batches.push_back(make_micro_batch({*item}));
  }
  for (const auto& bin : pack_bins({fits, items.end()}, capacity)) {
    batches.push_back(make_micro_batch(bin));
  }
  std::stable_sort(batches.begin(), batches.end(),
                   [](const MicroBatch& a, const MicroBatch& b) {
                     return a.tokens > b.tokens;
                   });
  // The largest comes first, so that a lack of memory shows at once; the
  // second largest last, because its backward hides the exchange.
  if (batches.size() > 2) {
    std::rotate(batches.begin() + 1, batches.begin() + 2, batches.end());
  }
  return batches;
}

}  // namespace

CostModel CostModel::of_layer(std::int64_t hidden_size,
                              std::int64_t intermediate_size,
                              std::int64_t window) {
  const auto hidden = static_cast<double>(hidden_size);
  // Query, key, value and output projections, and the feed-forward part.
  const double token =
      4 * hidden * hidden + 2 * hidden * static_cast<double>(intermediate_size);
  CostModel model;
  model.per_pair = 2 * hidden / token;  // One score and one weighted value.
  model.window = window;
  return model;
}

double CostModel::cost(std::int64_t tokens) const {
  if (tokens <= 0) return per_document;
  const auto n = static_cast<double>(tokens);
  const auto reach = static_cast<double>(std::min(window, tokens - 1));
  // Each token with itself, and both ways at the distances 1 ... reach.
  const double pairs = n + 2 * (reach * n - reach * (reach + 1) / 2);
  return n * per_token + pairs * per_pair + per_document;
}

StepPlan plan_step(std::span<const std::int64_t> rows,
                   std::span<const std::int64_t> lengths,
                   const PlannerSettings& settings) {
  if (settings.num_ranks < 1 || settings.micro_batch_tokens < 1) {
    throw std::invalid_argument(
        "plan_step needs a rank and micro-batches of at least one token");
  }
  const auto items = sorted_items(rows, lengths, settings.cost);
  auto ranks = deal(items, static_cast<std::size_t>(settings.num_ranks),
                    [](const Item& item) { return item.cost; });
  Balance(ranks).improve();
  std::rotate(ranks.begin(),
              ranks.end() - settings.first_rank % settings.num_ranks,
              ranks.end());
  StepPlan plan;
  for (const auto& rank : ranks) {
    double cost = 0;
    for (const Item& item : rank) cost += settings.cost.cost(item.tokens);
    plan.rank_costs.push_back(cost);
    plan.ranks.push_back(pack_rank(rank, settings.micro_batch_tokens));
  }
  return plan;
}

}  // namespace longformer
