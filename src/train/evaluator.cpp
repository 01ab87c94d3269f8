// SPDX-License-Identifier: MIT
#include "longformer/train/evaluator.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include <ATen/Functions.h>

#include "longformer/base/fault_point.h"
#include "longformer/data/batch_planner.h"
#include "longformer/train/multi_label_metrics.h"
#include "longformer/train/regression_metrics.h"
#include "longformer/train/single_label_metrics.h"
#include "longformer/train/tensor_batch.h"

namespace longformer {
namespace {

void append(const at::Tensor& values, std::vector<double>& out) {
  const at::Tensor host = values.detach().cpu().to(at::kDouble).contiguous();
  const double* data = host.const_data_ptr<double>();
  out.insert(out.end(), data, data + host.numel());
}

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(double)};
}

/// Puts together what each rank computed for its groups, one after another:
/// `width` values a document.
std::vector<double> in_file_order(
    const std::vector<std::string>& of_ranks,
    const std::vector<EvaluationGroup>& groups,
    const std::vector<std::vector<std::int64_t>>& shares, std::int64_t width) {
  const std::int64_t rows = groups.empty() ? 0 : groups.back().end;
  std::vector<double> values(static_cast<std::size_t>(rows * width));
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const char* from = of_ranks[rank].data();
    for (const std::int64_t index : shares[rank]) {
      const EvaluationGroup& group = groups[static_cast<std::size_t>(index)];
      const std::size_t bytes =
          static_cast<std::size_t>((group.end - group.begin) * width) *
          sizeof(double);
      std::memcpy(&values[static_cast<std::size_t>(group.begin * width)], from,
                  bytes);
      from += bytes;
    }
  }
  return values;
}

std::vector<double> all_probabilities(const Answers& answers,
                                      ProblemType problem_type) {
  std::vector<double> all;
  all.reserve(answers.logits.size());
  const auto labels = static_cast<std::size_t>(answers.num_labels);
  for (std::size_t i = 0; i < answers.logits.size(); i += labels) {
    const std::vector<double> row = probabilities(
        std::span(answers.logits).subspan(i, labels), problem_type);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace

Answers answer(LongformerClassifier& classifier, const Dataset& dataset,
               ProblemType problem_type, std::int64_t micro_batch_tokens,
               Communicator* communicator) {
  const at::Device device = classifier.device();
  Answers answers;
  answers.num_documents = dataset.size();
  answers.num_labels = classifier.config().num_labels();
  const LossSettings loss_settings{problem_type, 0, {}};
  const auto groups = plan_evaluation(dataset.lengths(), micro_batch_tokens);
  const auto shares =
      deal_groups(groups, communicator == nullptr ? 1 : communicator->size());
  const std::size_t rank = communicator == nullptr
                               ? 0
                               : static_cast<std::size_t>(communicator->rank());
  std::vector<double> logits;
  std::vector<double> losses;
  for (const std::int64_t index : shares[rank]) {
    fault_point("evaluation");
    const PackedBatch batch =
        pack(dataset, groups[static_cast<std::size_t>(index)]);
    const at::Tensor logits_BL =
        classifier.logits(to_packed_input(batch, device), {});
    append(logits_BL, logits);
    if (!dataset.has_targets()) continue;
    Targets targets =
        to_targets(batch, problem_type, answers.num_labels, device);
    targets.weights_B.fill_(1);
    append(compute_losses(logits_BL, targets, loss_settings).per_document_B,
           losses);
  }
  if (communicator == nullptr) {
    answers.logits = std::move(logits);
    answers.losses = std::move(losses);
    return answers;
  }
  communicator->await_all();  // Shares differ by up to a group.
  answers.logits = in_file_order(communicator->gather(bytes_of(logits)), groups,
                                 shares, answers.num_labels);
  if (dataset.has_targets()) {
    answers.losses = in_file_order(communicator->gather(bytes_of(losses)),
                                   groups, shares, 1);
  }
  return answers;
}

std::vector<double> probabilities(std::span<const double> logits,
                                  ProblemType problem_type) {
  std::vector<double> result(logits.begin(), logits.end());
  if (problem_type == ProblemType::kRegression) return result;
  if (problem_type == ProblemType::kMultiLabel) {
    for (double& value : result) value = 1.0 / (1.0 + std::exp(-value));
    return result;
  }
  const double largest = *std::max_element(result.begin(), result.end());
  double sum = 0;
  for (double& value : result) sum += value = std::exp(value - largest);
  for (double& value : result) value /= sum;
  return result;
}

MetricsReport evaluate_answers(const Answers& answers, const Dataset& dataset,
                               ProblemType problem_type,
                               const std::vector<std::string>& label_names) {
  const std::vector<double> scores = all_probabilities(answers, problem_type);
  const double loss =
      std::accumulate(answers.losses.begin(), answers.losses.end(), 0.0) /
      static_cast<double>(answers.num_documents);
  if (problem_type == ProblemType::kSingleLabel) {
    std::vector<std::int64_t> labels;
    for (std::int64_t row = 0; row < dataset.size(); ++row) {
      labels.push_back(dataset.class_id(row));
    }
    return single_label_metrics(
        {answers.num_labels, scores, labels, label_names, loss});
  }
  std::vector<double> values;
  for (std::int64_t row = 0; row < dataset.size(); ++row) {
    const std::span<const float> row_values = dataset.values(row);
    values.insert(values.end(), row_values.begin(), row_values.end());
  }
  if (problem_type == ProblemType::kMultiLabel) {
    return multi_label_metrics(
        {answers.num_labels, scores, values, label_names, loss});
  }
  return regression_metrics(
      {answers.num_labels, scores, values, label_names, loss});
}

}  // namespace longformer
