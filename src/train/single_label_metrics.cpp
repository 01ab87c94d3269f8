// SPDX-License-Identifier: MIT
#include "longformer/train/single_label_metrics.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "longformer/config/task.h"
#include "longformer/train/calibration.h"
#include "longformer/train/confusion_matrix.h"
#include "longformer/train/ranking.h"

#include "answer_checks.h"

namespace longformer {
namespace {

std::size_t as_index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

std::int64_t num_examples(const SingleLabelAnswers& answers) {
  return static_cast<std::int64_t>(answers.labels.size());
}

std::span<const double> row_of(const SingleLabelAnswers& answers,
                               std::int64_t example) {
  return answers.probabilities.subspan(as_index(example * answers.num_classes),
                                       as_index(answers.num_classes));
}

void check(const SingleLabelAnswers& answers) {
  require_sizes(answers.num_classes, answers.labels.size(),
                answers.probabilities.size(), answers.names.size());
  for (std::size_t i = 0; i < answers.labels.size(); ++i) {
    const std::int64_t label = answers.labels[i];
    if (label >= 0 && label < answers.num_classes) continue;
    throw_bad_label(i, std::to_string(label),
                    "not one of " + std::to_string(answers.num_classes) +
                        " classes, numbered from 0");
  }
}

void add_averages(const ConfusionMatrix& matrix, MetricsReport& report) {
  report.add("accuracy", matrix.accuracy());
  report.add("balanced_accuracy", matrix.balanced_accuracy());
  const PrecisionRecall macro = matrix.macro();
  report.add("precision_macro", macro.precision);
  report.add("recall_macro", macro.recall);
  report.add("f1_macro", macro.f1);
  // With one answer an example, all three are the accuracy.
  report.add("precision_micro", matrix.accuracy());
  report.add("recall_micro", matrix.accuracy());
  report.add("f1_micro", matrix.accuracy());
  const PrecisionRecall weighted = matrix.weighted();
  report.add("precision_weighted", weighted.precision);
  report.add("recall_weighted", weighted.recall);
  report.add("f1_weighted", weighted.f1);
  report.add("f1_macro_over_classes_seen", matrix.macro_over_classes_seen().f1);
  if (matrix.num_classes() == 2) {
    report.add("f1_binary_positive_1", matrix.of_class(1).f1);
  }
  report.add("mcc", matrix.matthews_correlation());
  report.add("cohen_kappa", matrix.cohen_kappa(),
             "truth and predictions are the same single class, so chance "
             "agreement is complete");
}

void add_tables(const ConfusionMatrix& matrix,
                std::span<const std::string> names, MetricsReport& report) {
  Json classes = Json::array();
  for (std::int64_t c = 0; c < matrix.num_classes(); ++c) {
    classes.push_back(
        label_row(c, names, matrix.of_class(c), matrix.support(c)));
  }
  report.add_table("per_class", std::move(classes));
  if (!matrix.has_counts()) {
    report.add_undefined("confusion_matrix_rows_true",
                         "too many classes for a table of all pairs");
    return;
  }
  Json rows = Json::array();
  for (std::int64_t c = 0; c < matrix.num_classes(); ++c) {
    Json row = Json::array();
    for (std::int64_t p = 0; p < matrix.num_classes(); ++p) {
      row.push_back(matrix.count(c, p));
    }
    rows.push_back(std::move(row));
  }
  report.add_table("confusion_matrix_rows_true", std::move(rows));
}

void add_losses(const SingleLabelAnswers& answers, MetricsReport& report) {
  double log_loss = 0;
  double brier = 0;
  for (std::int64_t i = 0; i < num_examples(answers); ++i) {
    const std::span<const double> row = row_of(answers, i);
    const std::size_t label = as_index(answers.labels[as_index(i)]);
    log_loss -= std::log(clip_probability(row[label]));
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double error = row[c] - (c == label ? 1 : 0);
      brier += error * error;
    }
  }
  const auto count = static_cast<double>(num_examples(answers));
  report.add("log_loss", log_loss / count);
  report.add("brier_multiclass_sum", brier / count);
}

std::vector<RankingQuality> one_against_rest(
    const SingleLabelAnswers& answers) {
  std::vector<RankingQuality> qualities;
  for (std::int64_t c = 0; c < answers.num_classes; ++c) {
    std::vector<ScoredExample> examples(answers.labels.size());
    for (std::int64_t i = 0; i < num_examples(answers); ++i) {
      examples[as_index(i)] = {row_of(answers, i)[as_index(c)],
                               answers.labels[as_index(i)] == c};
    }
    qualities.push_back(ranking_quality(std::move(examples)));
  }
  return qualities;
}

/// "classes absent from y_true: [0, 2]"; empty when there are none.
std::string absent_classes(const ConfusionMatrix& matrix) {
  constexpr int kMostListed = 20;
  std::string list;
  int absent = 0;
  for (std::int64_t c = 0; c < matrix.num_classes(); ++c) {
    if (matrix.support(c) > 0) continue;
    if (++absent > kMostListed) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(c);
  }
  if (absent == 0) return "";
  if (absent > kMostListed) {
    list += " and " + std::to_string(absent - kMostListed) + " more";
  }
  return "classes absent from y_true: [" + list + "]";
}

void add_ranking_means(const std::vector<RankingQuality>& qualities,
                       const ConfusionMatrix& matrix, MetricsReport& report) {
  std::string reason = absent_classes(matrix);
  if (reason.empty() && qualities.size() == 1) reason = "only one class";
  if (!reason.empty()) {
    report.add_undefined("auroc_ovr_macro", reason);
    report.add_undefined("auroc_ovr_weighted", reason);
    report.add_undefined("average_precision_macro", reason);
    return;
  }
  double macro = 0;
  double weighted = 0;
  double precision = 0;
  for (std::size_t c = 0; c < qualities.size(); ++c) {
    macro += *qualities[c].auroc;
    weighted +=
        *qualities[c].auroc *
        static_cast<double>(matrix.support(static_cast<std::int64_t>(c)));
    precision += *qualities[c].average_precision;
  }
  const auto classes = static_cast<double>(qualities.size());
  report.add("auroc_ovr_macro", macro / classes);
  report.add("auroc_ovr_weighted",
             weighted / static_cast<double>(matrix.total()));
  report.add("average_precision_macro", precision / classes);
}

void add_ranking(const SingleLabelAnswers& answers,
                 const ConfusionMatrix& matrix, MetricsReport& report) {
  const std::vector<RankingQuality> qualities = one_against_rest(answers);
  if (answers.num_classes == 2) {
    report.add("auroc", qualities[1].auroc, "only one class in y_true");
    report.add("average_precision", qualities[1].average_precision,
               "class 1 absent from y_true");
  }
  Json auroc = Json::array();
  Json precision = Json::array();
  for (std::size_t c = 0; c < qualities.size(); ++c) {
    const std::string index = "[" + std::to_string(c) + "]";
    auroc.push_back(null_or(qualities[c].auroc));
    precision.push_back(null_or(qualities[c].average_precision));
    if (!qualities[c].auroc) {
      report.explain("auroc_one_vs_rest" + index,
                     "class absent from y_true, or alone in it");
    }
    if (!qualities[c].average_precision) {
      report.explain("average_precision" + index, "class absent from y_true");
    }
  }
  report.add_table("auroc_one_vs_rest", std::move(auroc));
  report.add_table("average_precision_one_vs_rest", std::move(precision));
  add_ranking_means(qualities, matrix, report);
}

void add_calibration(std::span<const Confidence> predictions,
                     std::int64_t num_bins, MetricsReport& report) {
  const Calibration result = calibration(predictions, num_bins);
  const std::string suffix = "_" + std::to_string(num_bins) + "_bins";
  report.add("ece" + suffix, result.expected_error);
  report.add("mce" + suffix, result.maximum_error);
  Json table = Json::array();
  for (const CalibrationBin& bin : result.bins) {
    table.push_back(
        Json::array({bin.index, bin.count, bin.accuracy, bin.mean_confidence}));
  }
  report.add_table("calibration_table" + suffix, std::move(table));
}

/// Whether fewer than two classes come before `label` in the order of
/// probabilities, the lower index first on a tie.
bool is_among_first_two(std::span<const double> row, std::size_t label) {
  int before = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (row[c] > row[label] || (row[c] == row[label] && c < label)) ++before;
  }
  return before < 2;
}

}  // namespace

std::int64_t most_probable_class(std::span<const double> probabilities) {
  return std::max_element(probabilities.begin(), probabilities.end()) -
         probabilities.begin();
}

MetricsReport single_label_metrics(const SingleLabelAnswers& answers) {
  check(answers);
  MetricsReport report = report_with_loss(answers.loss, num_examples(answers));
  if (const auto problem =
          bad_probability(answers.probabilities, answers.num_classes)) {
    add_all_undefined(ProblemType::kSingleLabel, answers.num_classes, *problem,
                      report);
    return report;
  }
  ConfusionMatrix matrix(answers.num_classes);
  std::vector<Confidence> confidences;
  std::int64_t among_first_two = 0;
  for (std::int64_t i = 0; i < num_examples(answers); ++i) {
    const std::span<const double> row = row_of(answers, i);
    const std::int64_t label = answers.labels[as_index(i)];
    const std::int64_t predicted = most_probable_class(row);
    matrix.add(label, predicted);
    confidences.push_back({row[as_index(predicted)], label == predicted});
    among_first_two += is_among_first_two(row, as_index(label)) ? 1 : 0;
  }
  add_averages(matrix, report);
  add_losses(answers, report);
  add_ranking(answers, matrix, report);
  for (const std::int64_t num_bins : {10, 15}) {
    add_calibration(confidences, num_bins, report);
  }
  if (answers.num_classes > 2) {
    report.add("top2_accuracy", static_cast<double>(among_first_two) /
                                    static_cast<double>(matrix.total()));
  }
  add_tables(matrix, answers.names, report);
  return report;
}

}  // namespace longformer
