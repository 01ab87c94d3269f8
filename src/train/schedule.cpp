// SPDX-License-Identifier: MIT
#include "longformer/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "longformer/base/error.h"

namespace longformer {
namespace {

void require_steps(const char* option, std::int64_t steps) {
  if (steps >= 0) return;
  throw ConfigError(std::string(option) + ": " + std::to_string(steps) +
                    " steps make no schedule; give 0 or more");
}

}  // namespace

std::int64_t warmup_steps_from_ratio(double ratio, std::int64_t total_steps) {
  return static_cast<std::int64_t>(
      std::ceil(ratio * static_cast<double>(total_steps)));
}

LearningRateSchedule::LearningRateSchedule(Schedule schedule,
                                           std::int64_t warmup_steps,
                                           std::int64_t total_steps)
    : schedule_(schedule),
      warmup_steps_(warmup_steps),
      total_steps_(total_steps) {
  require_steps("warmup_steps", warmup_steps);
  require_steps("max_steps", total_steps);
}

double LearningRateSchedule::factor(std::int64_t step) const {
  if (step < warmup_steps_) {
    return static_cast<double>(step) / static_cast<double>(warmup_steps_);
  }
  if (schedule_ == Schedule::kConstant) return 1;
  if (step >= total_steps_) return 0;
  const auto length = static_cast<double>(total_steps_ - warmup_steps_);
  if (schedule_ == Schedule::kLinear) {
    return static_cast<double>(total_steps_ - step) / length;
  }
  const double progress = static_cast<double>(step - warmup_steps_) / length;
  return std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

}  // namespace longformer
