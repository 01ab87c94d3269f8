// SPDX-License-Identifier: MIT
#include "longformer/train/progress.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/log.h"

namespace longformer {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProgressTest : public testing::Test {
 protected:
  ProgressDisplay display(const ProgressOptions& options) {
    return {options,
            [this](std::string_view text) { written_.emplace_back(text); },
            [this] { return now_; }};
  }

  /// One step of 500 tokens that took `seconds`.
  void step(ProgressDisplay& display, std::int64_t number, double seconds,
            double loss = 0.5) {
    now_ += seconds;
    display.update(
        {number, static_cast<double>(number) / 100, loss, 3e-5, 500});
  }

  double now_ = 1000;
  std::vector<std::string> written_;
};

TEST_F(ProgressTest, ALineShowsStepLossSpeedAndTimeLeft) {
  ProgressOptions options;
  options.total_steps = 1000;
  ProgressDisplay progress = display(options);
  step(progress, 1, 2.0);
  ASSERT_EQ(written_.size(), 1U);
  EXPECT_EQ(written_[0],
            "step 1/1000  0%  loss 0.5000  250 tokens/s  33m18s left  "
            "epoch 0.01  lr 3.0e-05");
}

TEST_F(ProgressTest, PlainLinesComeAtIntervalsAndAtTheEnd) {
  ProgressOptions options;
  options.total_steps = 100;
  options.plain_interval_s = 10;
  ProgressDisplay progress = display(options);
  for (int i = 1; i <= 100; ++i) step(progress, i, 0.25);
  // The first step, every tenth second after it, and the last step.
  ASSERT_EQ(written_.size(), 4U);
  EXPECT_THAT(written_[1], HasSubstr("step 41/100"));
  EXPECT_THAT(written_[3], HasSubstr("step 100/100  100%"));
  EXPECT_THAT(written_[3], Not(HasSubstr("left")));
  for (const std::string& line : written_) {
    EXPECT_EQ(line.find_first_of("\r\n\x1b"), std::string::npos);
  }
}

TEST_F(ProgressTest, TheLossIsTheMeanSinceTheLineBefore) {
  ProgressOptions options;
  options.total_steps = 4;
  ProgressDisplay progress = display(options);
  step(progress, 1, 1, 9);
  step(progress, 2, 1, 1);
  step(progress, 3, 1, 2);
  step(progress, 4, 1, 6);
  EXPECT_THAT(written_.back(), HasSubstr("loss 3.0000"));
}

TEST_F(ProgressTest, ATerminalsLineIsOverwrittenAndFitsItsWidth) {
  ProgressOptions options;
  options.is_terminal = true;
  options.columns = 40;
  options.total_steps = 100;
  ProgressDisplay progress = display(options);
  step(progress, 1, 1);
  step(progress, 2, 0.1);  // Too soon to be drawn.
  step(progress, 3, 0.1);
  ASSERT_EQ(written_.size(), 2U);
  EXPECT_EQ(written_[1].substr(0, 4), "\r\x1b[K");
  EXPECT_EQ(written_[1].back(), '\r');
  EXPECT_EQ(written_[1].size(), 4U + 39 + 1);
  step(progress, 100, 1);
  EXPECT_EQ(written_.back().back(), '\n');
}

TEST_F(ProgressTest, SeveralRanksShowHowBusyTheyAre) {
  ProgressOptions options;
  options.total_steps = 4;
  ProgressDisplay progress = display(options);
  ProgressUpdate update;
  // Seconds of computing, of waiting for data and for the others.
  update.ranks = {{9, 0.5, 0.5, 1'200'000'000}, {6, 0, 4, 900'000'000}};
  update.step = 1;
  update.tokens = 100;
  now_ += 1;
  progress.update(update);
  EXPECT_THAT(
      written_.back(),
      HasSubstr("busy 90/60%  data 2%  exchange 22%  memory 1.2G/900M"));
  update.step = 4;
  update.ranks = {{0, 0, 10, 1}, {10, 0, 0, 2'000'000'000}};
  now_ += 1;
  progress.update(update);
  EXPECT_THAT(written_.back(), HasSubstr("busy 0/100%  data 0%  exchange 50%"));
  update.ranks.resize(1);
  ProgressDisplay alone = display(options);
  alone.update(update);
  EXPECT_THAT(written_.back(), Not(HasSubstr("busy")));
}

TEST_F(ProgressTest, ALogMessageClearsTheTerminalsLineOnce) {
  ProgressOptions options;
  options.is_terminal = true;
  options.total_steps = 100;
  ProgressDisplay progress = display(options);
  set_log_prelude([&] { progress.clear(); });
  step(progress, 1, 1);
  log_info("a message beside the progress line");
  log_info("another one");
  set_log_prelude({});
  ASSERT_EQ(written_.size(), 2U);
  EXPECT_EQ(written_[1], "\r\x1b[K");
}

TEST_F(ProgressTest, PlainLinesMayBeWrittenByTheLogThatClearsFirst) {
  ProgressOptions options;
  options.total_steps = 100;
  ProgressDisplay progress(options, log_info, [this] { return now_; });
  set_log_prelude([&] { progress.clear(); });
  std::string seen;
  set_log_observer([&](LogLevel, std::string_view text) { seen = text; });
  step(progress, 1, 1);
  set_log_observer({});
  set_log_prelude({});
  EXPECT_THAT(seen, HasSubstr("step 1/100"));
}

TEST_F(ProgressTest, SpeedIsThatOfTheLastMinute) {
  ProgressOptions options;
  options.total_steps = 10'000;
  options.plain_interval_s = 1;
  ProgressDisplay progress = display(options);
  for (int i = 1; i <= 20; ++i) step(progress, i, 10);  // 50 tokens/s
  EXPECT_THAT(written_.back(), HasSubstr("  50 tokens/s"));
  for (int i = 21; i <= 1020; ++i) step(progress, i, 0.1);
  EXPECT_THAT(written_.back(), HasSubstr("  5.0k tokens/s"));
  EXPECT_THAT(written_.back(), HasSubstr("  14m59s left"));
}

TEST_F(ProgressTest, AfterAResumeOnlyThisProcessCounts) {
  ProgressOptions options;
  options.total_steps = 1000;
  options.first_step = 900;
  ProgressDisplay progress = display(options);
  step(progress, 901, 2);
  EXPECT_THAT(written_.at(0), HasSubstr("step 901/1000  90%"));
  EXPECT_THAT(written_.at(0), HasSubstr("250 tokens/s  3m18s left"));
}

TEST_F(ProgressTest, OddNumbersDoNotBreakALine) {
  ProgressDisplay progress = display({});
  step(progress, 1, 0, std::nan(""));
  EXPECT_THAT(written_.at(0), HasSubstr("step 1  loss nan  epoch"));
  now_ += 100;
  step(progress, 2, 0, 1e30);
  EXPECT_THAT(written_.at(1), HasSubstr("loss 1e+30"));
}

TEST(FormatDurationTest, UsesTheTwoLargestUnits) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(-5), "0s");
  EXPECT_EQ(format_duration(59.4), "59s");
  EXPECT_EQ(format_duration(59.6), "1m00s");
  EXPECT_EQ(format_duration(133), "2m13s");
  EXPECT_EQ(format_duration(3600 * 3 + 7 * 60), "3h07m");
  EXPECT_EQ(format_duration(86400 * 2 + 3600 * 4), "2d04h");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "ages");
  EXPECT_EQ(format_duration(std::nan("")), "ages");
}

}  // namespace
}  // namespace longformer
