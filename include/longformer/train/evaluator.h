// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longformer/data/dataset.h"
#include "longformer/distributed/communicator.h"
#include "longformer/model/classifier.h"
#include "longformer/train/metrics_report.h"

namespace longformer {

/// What a model answered for the documents of a data set, in its order.
struct Answers {
  std::int64_t num_documents = 0;
  std::int64_t num_labels = 0;
  std::vector<double> logits;  ///< [N, L]
  std::vector<double> losses;  ///< [N], only if the data set has targets.
};

/// Runs the model over a data set in groups of at most `micro_batch_tokens`
/// tokens, in file order, without gradients.
///
/// `communicator`: the ranks that share the work and have the same model and
/// data set; null: there are none. All get all answers. The groups do not
/// depend on it, so that the answers have the same bits for any number of ranks
/// with as many threads each.
Answers answer(LongformerClassifier& classifier, const Dataset& dataset,
               ProblemType problem_type, std::int64_t micro_batch_tokens,
               Communicator* communicator = nullptr);

/// Probabilities of one document: softmax (single label), sigmoid
/// (multi-label), the outputs themselves (regression).
std::vector<double> probabilities(std::span<const double> logits,
                                  ProblemType problem_type);

/// All metrics of answers against the targets of `dataset`; the loss is the
/// plain mean over documents, without class weights and smoothing.
MetricsReport evaluate_answers(const Answers& answers, const Dataset& dataset,
                               ProblemType problem_type,
                               const std::vector<std::string>& label_names);

}  // namespace longformer
