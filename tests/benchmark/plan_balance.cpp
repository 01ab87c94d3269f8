// SPDX-License-Identifier: MIT
//
// Prints, a line of JSON for each way to deal the documents of a step to ranks,
// how much more than the mean the slowest rank gets. See
// scripts/benchmarks/balance.py.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "longformer/base/random.h"
#include "longformer/data/batch_planner.h"
#include "longformer/data/sampler.h"

namespace longformer {
namespace {

constexpr std::int64_t kSteps = 200;
constexpr std::int64_t kBatch = 32;
constexpr std::size_t kRanks = 4;

/// Median 900, at most 4,096.
std::vector<std::int64_t> mixed_lengths() {
  RandomStream random({9, 0}, 0);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < kSteps * kBatch; ++i) {
    const double length = 900 * std::exp(0.9 * random.next_normal());
    lengths.push_back(std::clamp<std::int64_t>(std::llround(length), 3, 4096));
  }
  return lengths;
}

struct Measured {
  double sum = 0;
  double worst = 0;

  void add(const std::vector<double>& costs) {
    const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) /
                        static_cast<double>(costs.size());
    const double ratio = *std::max_element(costs.begin(), costs.end()) / mean;
    sum += ratio;
    worst = std::max(worst, ratio);
  }
  void print(const char* name) const {
    std::printf("{\"name\": \"%s\", \"mean\": %.4f, \"worst\": %.4f}\n", name,
                sum / static_cast<double>(kSteps), worst);
  }
};

/// Costs of the ranks when rank r gets every fourth document, from r on.
std::vector<double> deal_in_turns(const std::vector<std::int64_t>& lengths,
                                  const std::vector<std::int64_t>& order,
                                  std::int64_t step, const CostModel& model,
                                  bool is_padded) {
  std::vector<double> costs(kRanks);
  std::vector<std::int64_t> longest(kRanks);
  for (std::size_t i = 0; i < kBatch; ++i) {
    const auto row = static_cast<std::size_t>(
        order[static_cast<std::size_t>(step * kBatch) + i]);
    costs[i % kRanks] += model.cost(lengths[row]);
    longest[i % kRanks] = std::max(longest[i % kRanks], lengths[row]);
  }
  if (!is_padded) return costs;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    costs[rank] = model.cost(longest[rank]) * (kBatch / kRanks);
  }
  return costs;
}

void run() {
  const auto lengths = mixed_lengths();
  const auto count = static_cast<std::int64_t>(lengths.size());
  const auto in_file = epoch_order(count, 1, 0, /*shuffle=*/false);
  const auto shuffled = epoch_order(count, 1, 0, /*shuffle=*/true);
  PlannerSettings settings;
  settings.num_ranks = kRanks;
  settings.micro_batch_tokens = 16384;
  settings.cost = CostModel::of_layer(768, 3072, 256);
  Measured planned;
  Measured file_order;
  Measured random_order;
  Measured padded;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    planned.add(plan_step(std::span(shuffled).subspan(
                              static_cast<std::size_t>(step * kBatch), kBatch),
                          lengths, settings)
                    .rank_costs);
    file_order.add(deal_in_turns(lengths, in_file, step, settings.cost, false));
    random_order.add(
        deal_in_turns(lengths, shuffled, step, settings.cost, false));
    padded.add(deal_in_turns(lengths, shuffled, step, settings.cost, true));
  }
  planned.print("longformer's planner");
  file_order.print("in the order of the file");
  random_order.print("at random, as the reference's sampler");
  padded.print("the same, with the reference's padding");
}

}  // namespace
}  // namespace longformer

int main() { longformer::run(); }
