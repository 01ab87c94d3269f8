// SPDX-License-Identifier: MIT
#include "longformer/train/single_label_metrics.h"

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

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Four examples of three classes, one of them wrong.
struct Example {
  std::vector<double> probabilities{0.7, 0.2, 0.1, 0.1, 0.8, 0.1,
                                    0.2, 0.3, 0.5, 0.6, 0.3, 0.1};
  std::vector<std::int64_t> labels{0, 1, 2, 1};
  std::vector<std::string> names{"cat", "dog", "cow"};

  SingleLabelAnswers answers() const {
    return {3, probabilities, labels, names, std::nullopt};
  }
};

/// Every null of the report, tables included, has a reason.
void expect_every_null_explained(const MetricsReport& report) {
  const Json json = parse_strict_json(report.to_json().dump());
  for (const auto& [key, value] : json.items()) {
    if (value.is_null()) {
      EXPECT_FALSE(report.reason(key).empty()) << key;
    }
  }
}

TEST(SingleLabelMetricsTest, ClassesAreListedWithTheirNames) {
  const Json report = single_label_metrics(Example().answers()).to_json();
  ASSERT_EQ(report["per_class"].size(), 3U);
  EXPECT_EQ(report["per_class"][1]["name"], "dog");
  EXPECT_EQ(report["per_class"][1]["support"], 2);
  EXPECT_EQ(report["per_class"][1]["recall"], 0.5);
  EXPECT_EQ(report["confusion_matrix_rows_true"][1], Json::array({1, 1, 0}));
  EXPECT_EQ(report["examples"], 4);
}

TEST(SingleLabelMetricsTest, AClassNameThatIsNotUtf8StillGivesValidJson) {
  Example example;
  example.names[0] = "c\xff t";
  const MetricsReport report = single_label_metrics(example.answers());
  EXPECT_NO_THROW(parse_strict_json(report.to_json().dump()));
}

TEST(SingleLabelMetricsTest, TheLossIsReportedAsGiven) {
  Example example;
  SingleLabelAnswers answers = example.answers();
  answers.loss = 0.125;
  EXPECT_EQ(single_label_metrics(answers).value("loss"), 0.125);
  answers.loss = kNan;
  const MetricsReport report = single_label_metrics(answers);
  EXPECT_FALSE(report.value("loss"));
  EXPECT_EQ(report.reason("loss"), "not finite");
  EXPECT_FALSE(single_label_metrics(example.answers()).value("loss"));
}

TEST(SingleLabelMetricsTest, AProbabilityThatIsNoNumberMakesAllUndefined) {
  for (const double bad :
       {kNan, std::numeric_limits<double>::infinity(), -0.5, 1.5}) {
    Example example;
    example.probabilities[7] = bad;
    const MetricsReport report = single_label_metrics(example.answers());
    for (const char* name : {"accuracy", "f1_macro", "log_loss", "ece_15_bins",
                             "auroc_ovr_macro", "top2_accuracy"}) {
      EXPECT_FALSE(report.value(name)) << name << " with " << bad;
      EXPECT_NE(report.reason(name).find("example 2"), std::string::npos);
    }
    expect_every_null_explained(report);
  }
}

TEST(SingleLabelMetricsTest, RoundingOfSinglePrecisionIsNoError) {
  Example example;
  example.probabilities[0] = 1 + 6e-8;
  EXPECT_TRUE(single_label_metrics(example.answers()).value("log_loss"));
}

TEST(SingleLabelMetricsTest, ALabelOutsideTheClassesIsRefusedByExample) {
  for (const std::int64_t label :
       {std::int64_t{-1}, std::int64_t{3}, std::int64_t{-100}}) {
    Example example;
    example.labels[3] = label;
    try {
      single_label_metrics(example.answers());
      ADD_FAILURE() << label;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("example 3"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(std::to_string(label)),
                std::string::npos);
    }
  }
}

TEST(SingleLabelMetricsTest, NothingToMeasureIsAnError) {
  EXPECT_THROW(single_label_metrics({3, {}, {}, {}, 0.5}), DataError);
}

TEST(SingleLabelMetricsTest, SizesThatDisagreeAreABug) {
  Example example;
  SingleLabelAnswers answers = example.answers();
  answers.num_classes = 4;
  EXPECT_THROW(single_label_metrics(answers), std::invalid_argument);
  answers = example.answers();
  answers.names = answers.names.first(2);
  EXPECT_THROW(single_label_metrics(answers), std::invalid_argument);
}

TEST(SingleLabelMetricsTest, OneExampleOfOneClassIsAllJson) {
  const std::vector<double> probabilities{0.9, 0.1};
  const std::vector<std::int64_t> labels{0};
  const MetricsReport report =
      single_label_metrics({2, probabilities, labels, {}, std::nullopt});
  EXPECT_FALSE(report.value("auroc"));
  EXPECT_FALSE(report.value("average_precision"));
  EXPECT_FALSE(report.value("cohen_kappa"));
  EXPECT_EQ(report.value("mcc"), 0);
  expect_every_null_explained(report);
}

TEST(SingleLabelMetricsTest, ThousandsOfClassesNeedNoTableOfAllPairs) {
  constexpr std::int64_t kClasses = 20'000;
  std::vector<double> probabilities(kClasses * 2, 0.0);
  probabilities[5] = 1;
  probabilities[kClasses + 7] = 1;
  const std::vector<std::int64_t> labels{5, 8};
  const MetricsReport report =
      single_label_metrics({kClasses, probabilities, labels, {}, std::nullopt});
  EXPECT_EQ(report.value("accuracy"), 0.5);
  EXPECT_TRUE(report.to_json()["confusion_matrix_rows_true"].is_null());
  expect_every_null_explained(report);
}

}  // namespace
}  // namespace longformer
