// SPDX-License-Identifier: MIT
#include "longformer/train/metric_lines.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longformer {
namespace {

class MetricLinesTest : public ::testing::Test {
 protected:
  std::string take() { return std::exchange(output_, {}); }

  std::string output_;
  MetricLines lines_{[this](std::string_view text) { output_ += text; }, 100};
};

TEST_F(MetricLinesTest, TheFirstStepTheLastAndOneEveryTenSecondsAreReported) {
  lines_.add_step(1, 0.75, 1e-05, 100, 50);
  EXPECT_EQ(take(),
            "metric train_loss=0.75 step=1\n"
            "metric learning_rate=0.00001 step=1\n");
  lines_.add_step(2, 0.5, 2e-05, 100, 55);
  EXPECT_EQ(take(), "");
  lines_.add_step(3, 0.25, 3e-05, 200, 60);
  EXPECT_EQ(take(),
            "metric train_loss=0.375 step=3\n"
            "metric learning_rate=0.00003 step=3\n"
            "metric tokens_per_second=30 step=3\n");
  lines_.add_step(100, 0.125, 0, 50, 61);
  EXPECT_EQ(take(),
            "metric train_loss=0.125 step=100\n"
            "metric learning_rate=0 step=100\n"
            "metric tokens_per_second=50 step=100\n");
}

TEST_F(MetricLinesTest, NumbersHaveNoExponentAndReadBackTheSame) {
  for (const double value : {1e-300, 0.1, 1e21, 123456.789, 1.0 / 3}) {
    MetricsReport report;
    report.add("loss", value);
    lines_.add_report("test", 7, report);
    const std::string line = take();
    EXPECT_EQ(line.find('e', line.find('=')), line.rfind("ep=7"));
    EXPECT_EQ(std::stod(line.substr(line.find('=') + 1)), value);
  }
}

TEST_F(MetricLinesTest, ReportsGiveEveryNumberThatIsDefined) {
  MetricsReport report;
  report.add("loss", 0.5);
  report.add("mcc", -0.25);
  report.add("auroc", std::nullopt, "one class only");
  report.add("kappa", std::numeric_limits<double>::quiet_NaN());
  report.add_table("confusion", {{1, 2}, {3, 4}});
  lines_.add_report("validation", 8, report);
  EXPECT_EQ(take(),
            "metric validation_loss=0.5 step=8\n"
            "metric validation_mcc=-0.25 step=8\n");
}

TEST(MetricLinesWithoutOutputTest, MakeNothing) {
  MetricLines lines({}, 1);
  lines.add_step(1, 1, 1, 1, 1);
  lines.add_report("test", 1, MetricsReport());
}

}  // namespace
}  // namespace longformer
