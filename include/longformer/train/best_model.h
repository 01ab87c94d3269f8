// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longformer/base/strict_json.h"

namespace longformer {

/// Remembers which validation was the best one, and when to stop early.
///
/// Invariants: a value that is undefined or not finite is never best, and
/// counts as a validation without improvement. On a tie the earlier one stays.
class BestModel {
 public:
  /// `patience`: validations without improvement after which should_stop();
  /// 0 never stops.
  BestModel(std::string metric, bool larger_is_better, std::int64_t patience);

  /// Takes note of a validation after `step` optimizer steps. Returns whether
  /// it is the best so far.
  bool observe(std::int64_t step, std::optional<double> value);

  bool should_stop() const;
  const std::string& metric() const { return metric_; }
  std::optional<double> best_value() const { return best_value_; }
  std::optional<std::int64_t> best_step() const { return best_step_; }
  std::int64_t validations_without_improvement() const {
    return without_improvement_;
  }

  /// {"metric": ..., "best_value": ..., "best_step": ...,
  ///  "validations_without_improvement": ...}
  Json to_json() const;

  /// Continues from what to_json() wrote. `where` begins error messages.
  ///
  /// Throws ModelError if `state` is malformed, and ConfigError if it tracks
  /// another metric: their values cannot be compared.
  void restore(const Json& state, const std::string& where);

 private:
  std::string metric_;
  bool larger_is_better_;
  std::int64_t patience_;
  std::optional<double> best_value_;
  std::optional<std::int64_t> best_step_;
  std::int64_t without_improvement_ = 0;
};

}  // namespace longformer
