// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longformer {

/// What one rank spent on the gradients of a step.
struct RankLoad {
  double compute_seconds = 0;
  double data_seconds = 0;      ///< Planning and gathering its documents.
  double exchange_seconds = 0;  ///< Waiting for the others, with nothing to do.
  std::int64_t peak_memory_bytes = 0;

  double seconds() const {
    return compute_seconds + data_seconds + exchange_seconds;
  }
  /// Share of the time that it computed, in [0, 1].
  double busy() const {
    return seconds() > 0 ? compute_seconds / seconds() : 1;
  }
};

/// Notices when a rank has more work or memory than the others, over many
/// steps: single ones are never even.
class BalanceWatch {
 public:
  /// More than the mean of all ranks by this share is worth a warning.
  static constexpr double kTolerance = 0.15;

  /// `warn` gets a line that names the rank; once until it is even again.
  explicit BalanceWatch(std::function<void(std::string_view)> warn,
                        int least_steps = 20, double least_seconds = 5);

  /// `ranks`: of one step, by rank.
  void add(const std::vector<RankLoad>& ranks);

 private:
  void judge();
  /// Warns if the largest of `values`, one a rank, is too far above their mean.
  void judge(const std::string& what, const std::vector<double>& values);

  std::function<void(std::string_view)> warn_;
  int least_steps_;
  double least_seconds_;
  int steps_ = 0;
  std::vector<RankLoad> window_;
  std::set<std::pair<std::string, std::size_t>> warned_;
};

}  // namespace longformer
