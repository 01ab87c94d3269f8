// SPDX-License-Identifier: MIT
#include "longformer/train/metric_names.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/train/multi_label_metrics.h"
#include "longformer/train/regression_metrics.h"
#include "longformer/train/single_label_metrics.h"

namespace longformer {
namespace {

/// What check_best_metric says about `name`; "" if it accepts it.
std::string complaint(const std::string& name, ProblemType problem_type,
                      std::int64_t num_labels) {
  try {
    check_best_metric(name, problem_type, num_labels);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void expect_all_numbers_listed(const MetricsReport& report,
                               ProblemType problem_type,
                               std::int64_t num_labels) {
  std::size_t numbers = 0;
  const Json json = report.to_json();
  for (const auto& [key, value] : json.items()) {
    if (key != "examples" && value.is_number()) ++numbers;
  }
  const auto names = metric_names(problem_type, num_labels);
  for (const MetricName& metric : names) {
    EXPECT_TRUE(report.value(metric.name)) << metric.name;
  }
  EXPECT_EQ(numbers, names.size());
}

TEST(MetricNamesTest, EveryNumberOfAReportIsAMetricAndTheOtherWayRound) {
  const std::vector<double> three{0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.2, 0.3, 0.5};
  const std::vector<std::int64_t> classes{0, 1, 2};
  expect_all_numbers_listed(single_label_metrics({3, three, classes, {}, 0.5}),
                            ProblemType::kSingleLabel, 3);
  const std::vector<double> two{0.7, 0.3, 0.2, 0.8};
  const std::vector<std::int64_t> binary{0, 1};
  expect_all_numbers_listed(single_label_metrics({2, two, binary, {}, 0.5}),
                            ProblemType::kSingleLabel, 2);
  const std::vector<double> labels{1, 0, 0, 1};
  expect_all_numbers_listed(multi_label_metrics({2, two, labels, {}, 0.5}),
                            ProblemType::kMultiLabel, 2);
  expect_all_numbers_listed(regression_metrics({1, two, labels, {}, 0.5}),
                            ProblemType::kRegression, 1);
}

TEST(MetricNamesTest, DefaultsAreValid) {
  for (const ProblemType problem_type :
       {ProblemType::kSingleLabel, ProblemType::kMultiLabel,
        ProblemType::kRegression}) {
    EXPECT_EQ(complaint(std::string(default_best_metric(problem_type)),
                        problem_type, 4),
              "");
  }
}

TEST(MetricNamesTest, LossesAndErrorsAreBetterWhenSmall) {
  for (const char* name :
       {"loss", "log_loss", "brier_multiclass_sum", "ece_10_bins",
        "hamming_loss", "bce_mean", "mse", "rmse", "mae"}) {
    EXPECT_FALSE(larger_is_better(name)) << name;
  }
  for (const char* name : {"accuracy", "f1_macro", "auroc", "top2_accuracy",
                           "auroc_micro", "r2", "spearman"}) {
    EXPECT_TRUE(larger_is_better(name)) << name;
  }
  EXPECT_THROW(larger_is_better("acuracy"), std::invalid_argument);
}

TEST(MetricNamesTest, AMisspeltMetricIsAnsweredWithTheNearestOne) {
  const auto single = ProblemType::kSingleLabel;
  EXPECT_NE(complaint("f1_makro", single, 3).find("did you mean f1_macro?"),
            std::string::npos);
  EXPECT_NE(complaint("macro_f1", single, 3).find("did you mean f1_macro?"),
            std::string::npos);
  const std::string far = complaint("beauty", single, 3);
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
  EXPECT_NE(far.find("accuracy, balanced_accuracy"), std::string::npos);
}

TEST(MetricNamesTest, ANameIsCheckedAsFarAsTheProblemIsKnown) {
  EXPECT_NO_THROW(check_metric_exists("auroc", std::nullopt));
  EXPECT_NO_THROW(check_metric_exists("rmse", std::nullopt));
  EXPECT_NO_THROW(check_metric_exists("auroc", ProblemType::kSingleLabel));
  EXPECT_NO_THROW(
      check_metric_exists("top2_accuracy", ProblemType::kSingleLabel));
  EXPECT_THROW(check_metric_exists("f1_makro", std::nullopt), ConfigError);
  EXPECT_THROW(check_metric_exists("rmse", ProblemType::kSingleLabel),
               ConfigError);
}

TEST(MetricNamesTest, MetricsOfTwoClassesAreRefusedForThree) {
  EXPECT_EQ(complaint("auroc", ProblemType::kSingleLabel, 2), "");
  EXPECT_NE(complaint("auroc", ProblemType::kSingleLabel, 3), "");
  EXPECT_EQ(complaint("top2_accuracy", ProblemType::kSingleLabel, 3), "");
  EXPECT_NE(complaint("top2_accuracy", ProblemType::kSingleLabel, 2), "");
  EXPECT_NE(complaint("accuracy", ProblemType::kRegression, 1), "");
}

}  // namespace
}  // namespace longformer
