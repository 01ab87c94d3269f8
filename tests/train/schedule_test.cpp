// SPDX-License-Identifier: MIT
#include "longformer/train/schedule.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

// The formulas of get_linear_schedule_with_warmup and its sisters, literally.

double rising(double step, double warmup) {
  return step / std::max(1.0, warmup);
}

double linear(double step, double warmup, double total) {
  if (step < warmup) return rising(step, warmup);
  return std::max(0.0, (total - step) / std::max(1.0, total - warmup));
}

double cosine(double step, double warmup, double total) {
  if (step < warmup) return rising(step, warmup);
  const double progress = (step - warmup) / std::max(1.0, total - warmup);
  return std::max(0.0, 0.5 * (1.0 + std::cos(M_PI * 0.5 * 2.0 * progress)));
}

double constant(double step, double warmup, double) {
  return step < warmup ? rising(step, warmup) : 1.0;
}

void expect_schedule(Schedule kind, double (*formula)(double, double, double),
                     std::int64_t warmup, std::int64_t total) {
  const LearningRateSchedule schedule(kind, warmup, total);
  for (std::int64_t step = 0; step < total; ++step) {
    EXPECT_DOUBLE_EQ(schedule.factor(step), formula(static_cast<double>(step),
                                                    static_cast<double>(warmup),
                                                    static_cast<double>(total)))
        << "step " << step << " of " << total << ", warm-up " << warmup;
  }
}

TEST(ScheduleTest, AgreesWithTheReferenceFormulas) {
  for (const std::int64_t total : {0, 1, 2, 30, 101}) {
    for (const std::int64_t warmup : {0, 1, 5, 30, 200}) {
      expect_schedule(Schedule::kLinear, linear, warmup, total);
      expect_schedule(Schedule::kCosine, cosine, warmup, total);
      expect_schedule(Schedule::kConstant, constant, warmup, total);
    }
  }
}

TEST(ScheduleTest, TheFirstStepOfAWarmUpHasRateZero) {
  const LearningRateSchedule schedule(Schedule::kLinear, 5, 30);
  EXPECT_EQ(schedule.factor(0), 0);
  EXPECT_DOUBLE_EQ(schedule.factor(1), 1.0 / 5);
  EXPECT_DOUBLE_EQ(schedule.factor(5), 1);
  EXPECT_DOUBLE_EQ(schedule.factor(29), 1.0 / 25);
}

TEST(ScheduleTest, WithoutWarmUpTheFirstStepHasTheFullRate) {
  for (const Schedule kind :
       {Schedule::kLinear, Schedule::kCosine, Schedule::kConstant}) {
    EXPECT_EQ(LearningRateSchedule(kind, 0, 10).factor(0), 1);
  }
}

TEST(ScheduleTest, StaysAtZeroBeyondTheLastStep) {
  for (const std::int64_t step : {10, 11, 15, 1000}) {
    EXPECT_EQ(LearningRateSchedule(Schedule::kLinear, 2, 10).factor(step), 0);
    EXPECT_NEAR(LearningRateSchedule(Schedule::kCosine, 2, 10).factor(step), 0,
                1e-15);
    EXPECT_EQ(LearningRateSchedule(Schedule::kConstant, 2, 10).factor(step), 1);
  }
}

TEST(ScheduleTest, AWarmUpLongerThanTheRunRisesToItsEnd) {
  const LearningRateSchedule schedule(Schedule::kCosine, 100, 10);
  EXPECT_DOUBLE_EQ(schedule.factor(9), 0.09);
}

TEST(ScheduleTest, AShareOfTheStepsIsRoundedUp) {
  EXPECT_EQ(warmup_steps_from_ratio(0.1, 30), 3);
  EXPECT_EQ(warmup_steps_from_ratio(0.1, 31), 4);
  EXPECT_EQ(warmup_steps_from_ratio(0.06, 10), 1);
  EXPECT_EQ(warmup_steps_from_ratio(0, 10), 0);
  EXPECT_EQ(warmup_steps_from_ratio(1, 10), 10);
  EXPECT_EQ(warmup_steps_from_ratio(0.5, 0), 0);
}

TEST(ScheduleTest, NegativeStepsAreRefused) {
  EXPECT_THROW(LearningRateSchedule(Schedule::kLinear, -1, 10), ConfigError);
  EXPECT_THROW(LearningRateSchedule(Schedule::kLinear, 1, -10), ConfigError);
}

}  // namespace
}  // namespace longformer
