// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace longformer {

/// Estimated work for one document, in any unit. Linear in its length but for
/// documents shorter than the window: n * per_token + (pairs of tokens at most
/// `window` apart) * per_pair + per_document.
struct CostModel {
  double per_token = 1.0;
  double per_pair = 0.0;
  double per_document = 0.0;
  std::int64_t window = 0;  ///< One side, in tokens.

  /// Multiply-adds of one encoder layer, in units of one token's projections
  /// and feed-forward part. `window`: one side.
  static CostModel of_layer(std::int64_t hidden_size,
                            std::int64_t intermediate_size,
                            std::int64_t window);
  double cost(std::int64_t tokens) const;
};

/// A document of a step. Random numbers are keyed by `batch_index`, so they do
/// not depend on who computes it.
struct PlannedDocument {
  std::int32_t batch_index = 0;  ///< Its place in the global batch.
  std::int64_t row = 0;          ///< Its row in the data set.

  bool operator==(const PlannedDocument&) const = default;
};

struct MicroBatch {
  std::vector<PlannedDocument> documents;  ///< Ascending batch_index.
  std::int64_t tokens = 0;
};

/// Who computes what in one optimizer step.
struct StepPlan {
  /// One list per rank, in the order of computing: the largest micro-batch
  /// first, the second largest last. May be empty, and of different lengths.
  std::vector<std::vector<MicroBatch>> ranks;
  std::vector<double> rank_costs;
};

struct PlannerSettings {
  std::int64_t num_ranks = 1;
  /// Most tokens in a micro-batch; a longer document is one by itself.
  std::int64_t micro_batch_tokens = 0;
  CostModel cost;
  /// The rank that gets the longest document. Changing it from step to step
  /// gives all ranks the same peak of memory in the long run.
  std::int64_t first_rank = 0;
};

/// Deals the documents of a global batch to ranks and packs them.
///
/// `rows`: the global batch, in order; `lengths`: tokens of every row of the
/// data set. Dealing: longest first to the least loaded rank, then exchanges of
/// documents while the slowest rank gains. Packing: as few micro-batches as
/// best-fit decreasing finds, evened out.
///
/// Pure and deterministic: every rank computes the same plan by itself. Random
/// numbers and results do not depend on it.
/// Cost: O(B log B + B R) for B documents on R ranks.
StepPlan plan_step(std::span<const std::int64_t> rows,
                   std::span<const std::int64_t> lengths,
                   const PlannerSettings& settings);

/// Consecutive rows [begin, end) of a file that are computed together.
struct EvaluationGroup {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t tokens = 0;

  bool operator==(const EvaluationGroup&) const = default;
};

/// Groups of at most micro_batch_tokens tokens (a longer document alone), in
/// file order; the same for every number of ranks, so that results are too.
std::vector<EvaluationGroup> plan_evaluation(
    std::span<const std::int64_t> lengths, std::int64_t micro_batch_tokens);

/// Which groups each rank computes: indices into `groups`, ascending,
/// balanced by tokens.
std::vector<std::vector<std::int64_t>> deal_groups(
    std::span<const EvaluationGroup> groups, std::int64_t num_ranks);

}  // namespace longformer
