// SPDX-License-Identifier: MIT
#include "longformer/train/multi_label_metrics.h"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "longformer/config/task.h"
#include "longformer/train/precision_recall.h"
#include "longformer/train/ranking.h"

#include "answer_checks.h"

namespace longformer {
namespace {

/// Counts of one label, or of all labels together.
struct Counts {
  std::int64_t true_negatives = 0;
  std::int64_t false_positives = 0;
  std::int64_t false_negatives = 0;
  std::int64_t true_positives = 0;

  void add(bool is_true, bool is_predicted) {
    if (is_predicted) {
      ++(is_true ? true_positives : false_positives);
    } else {
      ++(is_true ? false_negatives : true_negatives);
    }
  }
  std::int64_t support() const { return true_positives + false_negatives; }
  std::int64_t errors() const { return false_positives + false_negatives; }
  PrecisionRecall quality() const {
    return precision_recall(true_positives, false_positives, false_negatives);
  }
};

struct Tally {
  std::vector<Counts> of_label;  // [L]
  Counts all;
  PrecisionRecall sum_over_examples;
  std::int64_t exact_examples = 0;
};

void check(const MultiLabelAnswers& answers) {
  if (answers.labels.size() != answers.probabilities.size()) {
    throw std::invalid_argument(
        "metrics: labels and probabilities differ in "
        "number");
  }
  const auto width = static_cast<std::size_t>(answers.num_labels);
  require_sizes(answers.num_labels,
                width == 0 ? 0 : answers.labels.size() / width,
                answers.labels.size(), answers.names.size());
  for (std::size_t i = 0; i < answers.labels.size(); ++i) {
    const double label = answers.labels[i];
    if (label == 0 || label == 1) continue;
    throw_bad_label(
        i / width, std::to_string(label),
        "neither 0 nor 1 (entry " + std::to_string(i % width) + ")");
  }
}

std::size_t num_examples(const MultiLabelAnswers& answers) {
  return answers.labels.size() / static_cast<std::size_t>(answers.num_labels);
}

Tally count(const MultiLabelAnswers& answers) {
  const auto width = static_cast<std::size_t>(answers.num_labels);
  Tally tally;
  tally.of_label.resize(width);
  for (std::size_t i = 0; i < num_examples(answers); ++i) {
    Counts example;
    for (std::size_t l = 0; l < width; ++l) {
      const bool is_true = answers.labels[i * width + l] == 1;
      const bool is_predicted =
          is_label_predicted(answers.probabilities[i * width + l]);
      tally.of_label[l].add(is_true, is_predicted);
      tally.all.add(is_true, is_predicted);
      example.add(is_true, is_predicted);
    }
    tally.sum_over_examples += example.quality();
    if (example.errors() == 0) ++tally.exact_examples;
  }
  return tally;
}

void add_quality(const std::string& suffix, const PrecisionRecall& quality,
                 MetricsReport& report) {
  report.add("precision_" + suffix, quality.precision);
  report.add("recall_" + suffix, quality.recall);
  report.add("f1_" + suffix, quality.f1);
}

void add_averages(const Tally& tally, std::size_t examples,
                  MetricsReport& report) {
  const auto count = static_cast<double>(examples);
  const auto width = static_cast<double>(tally.of_label.size());
  report.add("subset_accuracy",
             static_cast<double>(tally.exact_examples) / count);
  report.add("hamming_loss",
             static_cast<double>(tally.all.errors()) / (count * width));
  PrecisionRecall macro;
  PrecisionRecall weighted;
  for (const Counts& counts : tally.of_label) {
    macro += counts.quality();
    weighted += counts.quality() * static_cast<double>(counts.support());
  }
  if (tally.all.support() > 0) {
    weighted = weighted / static_cast<double>(tally.all.support());
  }
  add_quality("macro", macro / width, report);
  add_quality("micro", tally.all.quality(), report);
  add_quality("weighted", weighted, report);
  add_quality("samples", tally.sum_over_examples / count, report);
}

void add_tables(const Tally& tally, std::span<const std::string> names,
                MetricsReport& report) {
  Json rows = Json::array();
  Json confusion = Json::array();
  for (std::size_t l = 0; l < tally.of_label.size(); ++l) {
    const Counts& counts = tally.of_label[l];
    rows.push_back(label_row(static_cast<std::int64_t>(l), names,
                             counts.quality(), counts.support()));
    confusion.push_back(
        Json::array({counts.true_negatives, counts.false_positives,
                     counts.false_negatives, counts.true_positives}));
  }
  report.add_table("per_label", std::move(rows));
  report.add_table("confusion_per_label_tn_fp_fn_tp", std::move(confusion));
}

/// A list with one entry a label, null where it is undefined.
void add_per_label(const std::string& name,
                   const std::vector<std::optional<double>>& values,
                   const char* reason_if_none, MetricsReport& report) {
  Json list = Json::array();
  for (std::size_t l = 0; l < values.size(); ++l) {
    list.push_back(null_or(values[l]));
    if (!values[l]) {
      report.explain(name + "_per_label[" + std::to_string(l) + "]",
                     reason_if_none);
    }
  }
  report.add_table(name + "_per_label", std::move(list));
}

std::optional<double> mean_of_defined(
    const std::vector<std::optional<double>>& values) {
  double sum = 0;
  int defined = 0;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    sum += *value;
    ++defined;
  }
  if (defined == 0) return std::nullopt;
  return sum / defined;
}

void add_ranking(const MultiLabelAnswers& answers, MetricsReport& report) {
  const auto width = static_cast<std::size_t>(answers.num_labels);
  std::vector<std::optional<double>> auroc;
  std::vector<std::optional<double>> precision;
  std::vector<ScoredExample> all;
  for (std::size_t l = 0; l < width; ++l) {
    std::vector<ScoredExample> examples;
    for (std::size_t i = l; i < answers.labels.size(); i += width) {
      examples.push_back({answers.probabilities[i], answers.labels[i] == 1});
    }
    all.insert(all.end(), examples.begin(), examples.end());
    const RankingQuality quality = ranking_quality(std::move(examples));
    auroc.push_back(quality.auroc);
    precision.push_back(quality.average_precision);
  }
  add_per_label("auroc", auroc, "label constant in y_true", report);
  add_per_label("average_precision", precision, "no positive example", report);
  report.add("auroc_macro_over_defined", mean_of_defined(auroc),
             "every label constant in y_true");
  report.add("average_precision_macro_over_defined", mean_of_defined(precision),
             "no positive example");
  report.add("auroc_micro", ranking_quality(std::move(all)).auroc,
             "all labels equal in y_true");
}

double mean_cross_entropy(const MultiLabelAnswers& answers) {
  double sum = 0;
  for (std::size_t i = 0; i < answers.labels.size(); ++i) {
    const double probability = clip_probability(answers.probabilities[i]);
    sum -= std::log(answers.labels[i] == 1 ? probability : 1 - probability);
  }
  return sum / static_cast<double>(answers.labels.size());
}

}  // namespace

MetricsReport multi_label_metrics(const MultiLabelAnswers& answers) {
  check(answers);
  MetricsReport report = report_with_loss(
      answers.loss, static_cast<std::int64_t>(num_examples(answers)));
  if (const auto problem =
          bad_probability(answers.probabilities, answers.num_labels)) {
    add_all_undefined(ProblemType::kMultiLabel, answers.num_labels, *problem,
                      report);
    return report;
  }
  const Tally tally = count(answers);
  add_averages(tally, num_examples(answers), report);
  add_ranking(answers, report);
  report.add("bce_mean", mean_cross_entropy(answers));
  add_tables(tally, answers.names, report);
  return report;
}

}  // namespace longformer
