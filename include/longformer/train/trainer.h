// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/data/batch_planner.h"
#include "longformer/data/dataset.h"
#include "longformer/data/packed_batch.h"
#include "longformer/data/sampler.h"
#include "longformer/distributed/communicator.h"
#include "longformer/distributed/gradient_exchange.h"
#include "longformer/model/classifier.h"
#include "longformer/train/adamw.h"
#include "longformer/train/rank_load.h"
#include "longformer/train/schedule.h"
#include "longformer/train/weight_average.h"

namespace longformer {

/// Loss or gradient of a step is not finite.
class DivergenceError : public Error {
 public:
  explicit DivergenceError(const std::string& message)
      : Error(ExitCode::kInternal, message) {}
};

/// Everything that decides the numbers of a run, besides model and data.
struct TrainerSettings {
  std::int64_t batch_size = 32;  ///< Documents of the global batch.
  std::int64_t micro_batch_tokens = 16384;
  std::uint64_t seed = 0;
  bool shuffle = true;
  double learning_rate = 3e-5;
  double embedding_learning_rate = 3e-5;
  LearningRateSchedule schedule{Schedule::kLinear, 0, 1};
  AdamWSettings adamw;
  double max_grad_norm = 1;  ///< 0: no clipping.
  double ema_decay = 0;      ///< 0: no average of the weights.
  LossSettings loss;
  AttentionPath attention_path = AttentionPath::kAuto;
  std::vector<Recomputation> recomputation;  ///< Per layer; empty: none.
  GradientExchangeSettings exchange;  ///< Only speed, with several ranks.
};

/// What one optimizer step did, on all ranks together.
struct StepRecord {
  std::int64_t step = 0;  ///< From 1.
  double epoch = 0;       ///< Passes over the data after this step.
  double loss = 0;        ///< sum(weighted losses) / sum(weights).
  double learning_rate = 0;
  double grad_norm = 0;  ///< Before clipping.
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t micro_batches = 0;
  bool is_stop_wanted = false;  ///< By a rank, see Trainer::step().
  std::vector<RankLoad> ranks;  ///< By rank; at least this one.
  /// What this rank exchanged with the others.
  std::int64_t all_reduces = 0;
  std::int64_t exchanged_bytes = 0;
};

/// Takes optimizer steps: plans the global batch, runs its micro-batches,
/// clips, updates. The result of a step does not depend on how it is cut into
/// micro-batches (up to rounding), nor on what was computed before it in this
/// process, nor on the number of ranks (up to rounding).
///
/// The loss of a step is L = sum_i w_i loss_i / W with W the weight of the
/// whole global batch, so the last, shorter batch of an epoch and micro-batches
/// of any size give the same gradient as one batch.
class Trainer {
 public:
  /// The data set must have targets and outlive the trainer.
  ///
  /// `communicator`: the other ranks, which have the same data, settings and
  /// weights; null: there are none. With it, construction and steps are
  /// collective.
  Trainer(std::shared_ptr<LongformerClassifier> classifier,
          const Dataset& dataset, TrainerSettings settings,
          Communicator* communicator = nullptr);

  /// The next step. Throws MemoryError when a micro-batch does not fit and
  /// DivergenceError when loss or gradient is not finite; the weights are
  /// unchanged then. If that happens on one rank, the others throw PeerError
  /// with its message and the step can be tried again.
  ///
  /// `wants_stop`: this rank would like to stop after the step; the record says
  /// on all ranks whether one does, so that all stop at the same step.
  StepRecord step(bool wants_stop = false);

  /// Gradients of the global batch of step `step` (from 0) without an update,
  /// in the parameters' grad fields; returns its loss. For tests and probes.
  double accumulate_gradients(std::int64_t step);

  std::int64_t steps_done() const { return steps_done_; }
  std::int64_t steps_per_epoch() const { return sampler_.steps_per_epoch(); }
  AdamW& optimizer() { return optimizer_; }
  /// The moving average of the weights; null if there is none.
  WeightAverage* average() { return average_ ? &*average_ : nullptr; }
  /// Continues behind `steps` steps (after loading weights and moments).
  void set_steps_done(std::int64_t steps) { steps_done_ = steps; }
  LongformerClassifier& classifier() { return *classifier_; }
  /// Buckets in which gradients travel; 0 without other ranks.
  std::int64_t num_buckets() const {
    return exchange_ ? exchange_->num_buckets() : 0;
  }

 private:
  /// Gradients of all ranks' micro-batches; fills in loss and counts.
  void accumulate(std::int64_t step, StepRecord& record);
  void clear_gradients();
  /// Runs this rank's micro-batches. `exchanged` becomes true once the last
  /// one's backward pass begins, which the gradient exchange is part of.
  void run_micro_batches(std::int64_t step,
                         const std::vector<MicroBatch>& micro_batches,
                         double weight, StepRecord& record, bool& exchanged);
  PackedBatch gather(const MicroBatch& micro_batch, StepRecord& record) const;
  void run_backward(const at::Tensor& loss, bool is_last, bool& exchanged);
  RankLoad& load(StepRecord& record) const;
  /// Makes `record` the sum of all ranks', and a failure one of all ranks.
  void share_outcome(const std::exception_ptr& failure, StepRecord& record);
  double gradient_norm() const;
  void check_finite(const StepRecord& record) const;

  std::shared_ptr<LongformerClassifier> classifier_;
  const Dataset& dataset_;
  TrainerSettings settings_;
  Sampler sampler_;
  std::vector<std::int64_t> lengths_;
  PlannerSettings planner_;
  std::vector<NamedParameter> parameters_;
  Communicator* communicator_;
  AdamW optimizer_;
  std::unique_ptr<GradientExchange> exchange_;
  std::optional<WeightAverage> average_;
  std::int64_t steps_done_ = 0;
};

}  // namespace longformer
