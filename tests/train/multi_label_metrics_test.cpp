// SPDX-License-Identifier: MIT
#include "longformer/train/multi_label_metrics.h"

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

struct Example {
  std::vector<double> probabilities{0.9, 0.2, 0.1, 0.6, 0.5, 0.4};
  std::vector<double> labels{1, 0, 0, 1, 0, 1};  // Two examples, three labels.
  std::vector<std::string> names{"red", "green", "blue"};

  MultiLabelAnswers answers() const {
    return {3, probabilities, labels, names, std::nullopt};
  }
};

TEST(MultiLabelMetricsTest, AProbabilityOfOneHalfIsAPrediction) {
  EXPECT_TRUE(is_label_predicted(0.5));
  EXPECT_FALSE(is_label_predicted(std::nextafter(0.5, 0)));
  const Json report = multi_label_metrics(Example().answers()).to_json();
  // tn, fp, fn, tp of "green", predicted for the second example.
  EXPECT_EQ(report["confusion_per_label_tn_fp_fn_tp"][1],
            Json::array({1, 1, 0, 0}));
}

TEST(MultiLabelMetricsTest, CountsOfASmallCaseAreRight) {
  const MetricsReport report = multi_label_metrics(Example().answers());
  EXPECT_DOUBLE_EQ(report.value("subset_accuracy").value(), 0.5);
  EXPECT_DOUBLE_EQ(report.value("hamming_loss").value(), 2.0 / 6);
  EXPECT_DOUBLE_EQ(report.value("precision_micro").value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(report.value("f1_samples").value(), (1 + 0.5) / 2);
  EXPECT_EQ(report.to_json()["per_label"][2]["name"], "blue");
  EXPECT_EQ(report.to_json()["per_label"][2]["support"], 1);
  EXPECT_DOUBLE_EQ(report.value("average_precision_macro_over_defined").value(),
                   1);
}

TEST(MultiLabelMetricsTest, WithoutAnyTrueLabelRankingIsUndefined) {
  Example example;
  example.labels.assign(6, 0);
  const MetricsReport report = multi_label_metrics(example.answers());
  for (const char* name : {"auroc_macro_over_defined", "auroc_micro",
                           "average_precision_macro_over_defined"}) {
    EXPECT_FALSE(report.value(name)) << name;
    EXPECT_FALSE(report.reason(name).empty()) << name;
  }
  EXPECT_EQ(report.value("f1_weighted"), 0);
  EXPECT_NO_THROW(parse_strict_json(report.to_json().dump()));
}

TEST(MultiLabelMetricsTest, CertainErrorsGiveAFiniteCrossEntropy) {
  Example example;
  example.probabilities = {0, 1, 1, 0, 1, 0};
  const double entropy =
      multi_label_metrics(example.answers()).value("bce_mean").value();
  EXPECT_NEAR(entropy, -std::log(std::numeric_limits<double>::epsilon()),
              1e-10);
}

TEST(MultiLabelMetricsTest, ANanScoreMakesAllUndefinedAndNamesTheExample) {
  Example example;
  example.probabilities[4] = std::nan("");
  const MetricsReport report = multi_label_metrics(example.answers());
  EXPECT_FALSE(report.value("f1_micro"));
  EXPECT_NE(report.reason("f1_micro").find("example 1"), std::string::npos);
  EXPECT_NO_THROW(parse_strict_json(report.to_json().dump()));
}

TEST(MultiLabelMetricsTest, LabelsBetweenZeroAndOneAreRefused) {
  Example example;
  example.labels[5] = 0.5;
  EXPECT_THROW(multi_label_metrics(example.answers()), DataError);
  example.labels[5] = std::nan("");
  EXPECT_THROW(multi_label_metrics(example.answers()), DataError);
}

TEST(MultiLabelMetricsTest, EmptyDataAndWrongSizesAreRefused) {
  EXPECT_THROW(multi_label_metrics({3, {}, {}, {}, std::nullopt}), DataError);
  Example example;
  MultiLabelAnswers answers = example.answers();
  answers.labels = answers.labels.first(5);
  EXPECT_THROW(multi_label_metrics(answers), std::invalid_argument);
  answers = example.answers();
  answers.num_labels = 4;
  EXPECT_THROW(multi_label_metrics(answers), std::invalid_argument);
}

}  // namespace
}  // namespace longformer
