// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "longformer/config/optimizer_options.h"

namespace longformer {

/// Steps of warm-up for a share of the whole run: ceil(ratio * total_steps).
/// Requires ratio in [0, 1].
std::int64_t warmup_steps_from_ratio(double ratio, std::int64_t total_steps);

/// What the learning rate is multiplied with at each optimizer step; the
/// schedules of Hugging Face's get_*_schedule_with_warmup.
///
/// With w warm-up steps of n in all, step k (from 0) has
///   k / w                                       while k < w;
///   then (n - k) / (n - w)                      linear,
///   (1 + cos(pi (k - w) / (n - w))) / 2         cosine,
///   1                                           constant.
/// So the first step of a warm-up has rate 0. After step n linear and cosine
/// are 0 (the reference's cosine would rise again).
class LearningRateSchedule {
 public:
  /// Throws ConfigError if a number of steps is negative.
  LearningRateSchedule(Schedule schedule, std::int64_t warmup_steps,
                       std::int64_t total_steps);

  /// The factor for optimizer step `step` >= 0, in [0, 1].
  double factor(std::int64_t step) const;

 private:
  Schedule schedule_;
  std::int64_t warmup_steps_;
  std::int64_t total_steps_;
};

}  // namespace longformer
