// SPDX-License-Identifier: MIT
#include "longformer/train/regression_metrics.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"

namespace longformer {
namespace {

using Numbers = std::vector<double>;

MetricsReport report_of(const Numbers& predictions, const Numbers& labels) {
  return regression_metrics({1, predictions, labels, {}, std::nullopt});
}

TEST(RegressionMetricsTest, NumbersOfASmallCaseAreRight) {
  const MetricsReport report = report_of({1, 2, 4}, {1, 3, 2});
  EXPECT_DOUBLE_EQ(report.value("mse").value(), 5.0 / 3);
  EXPECT_DOUBLE_EQ(report.value("rmse").value(), std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(report.value("mae").value(), 1);
  EXPECT_DOUBLE_EQ(report.value("r2").value(), 1 - 5.0 / 2);
  EXPECT_DOUBLE_EQ(report.value("spearman").value(), 0.5);
}

TEST(RegressionMetricsTest, TiesShareTheMeanOfTheirRanks) {
  // Ranks 1.5, 1.5, 3, 4 and 1, 2, 3.5, 3.5.
  const Numbers first{5, 5, 7, 9};
  const Numbers second{1, 2, 3, 3};
  EXPECT_NEAR(
      spearman_correlation(first, second).value(),
      pearson_correlation(Numbers{1.5, 1.5, 3, 4}, Numbers{1, 2, 3.5, 3.5})
          .value(),
      1e-15);
}

TEST(RegressionMetricsTest, AConstantThatCannotBeStoredExactlyIsConstant) {
  // The mean of ten times 0.1 is not 0.1.
  const Numbers constant(10, 0.1);
  Numbers rising;
  for (int i = 0; i < 10; ++i) rising.push_back(i);
  EXPECT_FALSE(pearson_correlation(constant, rising));
  EXPECT_FALSE(spearman_correlation(rising, constant));
  const MetricsReport report = report_of(rising, constant);
  EXPECT_FALSE(report.value("r2"));
  EXPECT_FALSE(report.reason("r2").empty());
}

TEST(RegressionMetricsTest, OneExampleLeavesTheCorrelationsUndefined) {
  const MetricsReport report = report_of({1}, {2});
  EXPECT_EQ(report.value("mse"), 1);
  EXPECT_FALSE(report.value("pearson"));
  EXPECT_FALSE(report.value("r2"));
}

TEST(RegressionMetricsTest, CorrelationsStayWithinOne) {
  const Numbers values{0.1, 0.2, 0.30000000000000004, 0.7};
  Numbers scaled;
  for (const double value : values) scaled.push_back(3 * value);
  EXPECT_LE(pearson_correlation(values, scaled).value(), 1);
  EXPECT_NEAR(pearson_correlation(values, scaled).value(), 1, 1e-15);
}

TEST(RegressionMetricsTest, PredictionsThatAreNotFiniteMakeAllUndefined) {
  const MetricsReport report =
      report_of({1, std::numeric_limits<double>::infinity()}, {1, 2});
  for (const char* name : {"mse", "rmse", "mae", "r2", "pearson", "spearman"}) {
    EXPECT_FALSE(report.value(name)) << name;
    EXPECT_NE(report.reason(name).find("example 1"), std::string::npos);
  }
}

TEST(RegressionMetricsTest, AnOverflowIsUndefinedNotInvalidJson) {
  const MetricsReport report = report_of({1e300, -1e300}, {-1e300, 1e300});
  EXPECT_FALSE(report.value("mse"));
  EXPECT_EQ(report.value("mae"), 2e300);
  EXPECT_NO_THROW(parse_strict_json(report.to_json().dump()));
}

TEST(RegressionMetricsTest, SeveralTargetsAreAveragedAndListed) {
  const Numbers predictions{1, 10, 2, 20, 4, 30};
  const Numbers labels{1, 10, 3, 20, 2, 35};
  const std::vector<std::string> names{"price", "weight"};
  const MetricsReport both =
      regression_metrics({2, predictions, labels, names, 7.0});
  const MetricsReport first = report_of({1, 2, 4}, {1, 3, 2});
  const MetricsReport second = report_of({10, 20, 30}, {10, 20, 35});
  for (const char* name : {"mse", "rmse", "mae", "r2", "pearson"}) {
    EXPECT_NEAR(both.value(name).value(),
                (first.value(name).value() + second.value(name).value()) / 2,
                1e-14)
        << name;
  }
  const Json json = both.to_json();
  EXPECT_EQ(json["per_target"][1]["name"], "weight");
  EXPECT_EQ(json["per_target"][1]["mse"], second.value("mse").value());
  EXPECT_EQ(json["loss"], 7.0);
}

TEST(RegressionMetricsTest, BadLabelsAndEmptyDataAreRefused) {
  EXPECT_THROW(report_of({1, 2}, {1, std::nan("")}), DataError);
  EXPECT_THROW(report_of({}, {}), DataError);
  EXPECT_THROW(report_of({1, 2}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace longformer
