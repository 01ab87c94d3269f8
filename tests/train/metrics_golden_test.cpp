// SPDX-License-Identifier: MIT
// The metrics of scikit-learn 1.9.1 (golden/metrics), all cases.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/strict_json.h"
#include "longformer/train/multi_label_metrics.h"
#include "longformer/train/regression_metrics.h"
#include "longformer/train/single_label_metrics.h"

#include "support/golden.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

/// All numbers of a list, or of a list of lists, row after row.
std::vector<double> flat(const Json& list) {
  std::vector<double> numbers;
  for (const Json& item : list) {
    if (item.is_array()) {
      for (const Json& number : item) numbers.push_back(number.get<double>());
    } else {
      numbers.push_back(item.get<double>());
    }
  }
  return numbers;
}

/// `expected` may hold fewer keys than `found`, never others.
void expect_near(const Json& expected, const Json& found,
                 const std::string& where, double tolerance) {
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(found.is_object() && found.contains(key))
          << where << "." << key;
      expect_near(value, found[key], where + "." + key,
                  key == "log_loss" ? 1e-10 : tolerance);
    }
  } else if (expected.is_array()) {
    ASSERT_TRUE(found.is_array()) << where;
    ASSERT_EQ(expected.size(), found.size()) << where;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_near(expected[i], found[i], where + "[" + std::to_string(i) + "]",
                  tolerance);
    }
  } else if (expected.is_number()) {
    ASSERT_TRUE(found.is_number()) << where << " is " << found;
    EXPECT_NEAR(expected.get<double>(), found.get<double>(), tolerance)
        << where;
  } else {
    EXPECT_EQ(expected, found) << where;
  }
}

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& item : object.items()) names.insert(item.key());
  return names;
}

/// Removes what a report does not hold and compares the rest.
void expect_report(Json expected, const MetricsReport& report) {
  const Json found = report.to_json();
  EXPECT_EQ(keys(expected["undefined"]), keys(found["undefined"]));
  for (const auto& [key, reason] : found["undefined"].items()) {
    EXPECT_FALSE(reason.get<std::string>().empty()) << key;
  }
  expected.erase("undefined");
  expected.erase("predictions");
  expected.erase("predictions_at_0.5");
  expect_near(expected, found, "", 1e-12);
  EXPECT_EQ(parse_strict_json(found.dump()), found);
}

void check_single_label(const Json& golden) {
  const Json& scores = golden["scores"];
  const std::vector<double> probabilities = flat(scores);
  const auto labels = golden["y_true"].get<std::vector<std::int64_t>>();
  SingleLabelAnswers answers;
  answers.num_classes = static_cast<std::int64_t>(scores[0].size());
  answers.probabilities = probabilities;
  answers.labels = labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(most_probable_class(answers.probabilities.subspan(
                  i * scores[0].size(), scores[0].size())),
              golden["expected"]["predictions"][i].get<std::int64_t>());
  }
  expect_report(golden["expected"], single_label_metrics(answers));
}

void check_multi_label(const Json& golden) {
  const std::vector<double> probabilities = flat(golden["scores"]);
  const std::vector<double> labels = flat(golden["y_true"]);
  MultiLabelAnswers answers;
  answers.num_labels = static_cast<std::int64_t>(golden["scores"][0].size());
  answers.probabilities = probabilities;
  answers.labels = labels;
  const std::vector<double> predictions =
      flat(golden["expected"]["predictions_at_0.5"]);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    EXPECT_EQ(is_label_predicted(probabilities[i]), predictions[i] == 1);
  }
  expect_report(golden["expected"], multi_label_metrics(answers));
}

void check_regression(const Json& golden) {
  const std::vector<double> predictions = flat(golden["scores"]);
  const std::vector<double> labels = flat(golden["y_true"]);
  RegressionAnswers answers;
  answers.predictions = predictions;
  answers.labels = labels;
  expect_report(golden["expected"], regression_metrics(answers));
}

TEST(MetricsGoldenTest, EveryCaseAgreesWithTheReference) {
  int cases = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::golden_dir() / "metrics")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Json golden = parse_strict_json(test::read_file(entry.path()));
    const auto kind = golden["kind"].get<std::string>();
    if (kind == "classification") {
      check_single_label(golden);
    } else if (kind == "multilabel") {
      check_multi_label(golden);
    } else {
      ASSERT_EQ(kind, "regression");
      check_regression(golden);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 15);
}

}  // namespace
}  // namespace longformer
