// SPDX-License-Identifier: MIT
#include "longformer/train/rank_load.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace longformer {

BalanceWatch::BalanceWatch(std::function<void(std::string_view)> warn,
                           int least_steps, double least_seconds)
    : warn_(std::move(warn)),
      least_steps_(least_steps),
      least_seconds_(least_seconds) {}

void BalanceWatch::add(const std::vector<RankLoad>& ranks) {
  if (ranks.size() < 2) return;
  window_.resize(ranks.size());
  double seconds = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    window_[i].compute_seconds += ranks[i].compute_seconds;
    window_[i].peak_memory_bytes =
        std::max(window_[i].peak_memory_bytes, ranks[i].peak_memory_bytes);
    seconds += window_[i].compute_seconds;
  }
  ++steps_;
  if (steps_ < least_steps_ ||
      seconds < least_seconds_ * static_cast<double>(ranks.size())) {
    return;
  }
  judge();
  window_.clear();
  steps_ = 0;
}

void BalanceWatch::judge() {
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (const RankLoad& load : window_) {
    seconds.push_back(load.compute_seconds);
    bytes.push_back(static_cast<double>(load.peak_memory_bytes));
  }
  judge("computed", seconds);
  judge("used memory", bytes);
}

void BalanceWatch::judge(const std::string& what,
                         const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                      static_cast<double>(values.size());
  const auto most = std::max_element(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(most - values.begin());
  const bool is_even = *most <= (1 + kTolerance) * mean;
  std::erase_if(warned_, [&](const auto& warning) {
    return warning.first == what && (is_even || warning.second != rank);
  });
  if (is_even || !warned_.insert({what, rank}).second) return;
  warn_(fmt::format(
      "rank {} {} {:.0f} % more than the mean of all {} ranks over the last {} "
      "steps: {}",
      rank, what, 100 * (*most / mean - 1), values.size(), steps_,
      what == "computed"
          ? "its processor is slower or shared with other work, or its cores "
            "are fewer"
          : "its micro-batches are larger; lower micro_batch_tokens if memory "
            "is short"));
}

}  // namespace longformer
