// SPDX-License-Identifier: MIT
#include "longformer/train/trainer.h"

#include <cmath>

#include <ATen/Functions.h>

#include "longformer/base/error.h"
#include "longformer/data/packed_batch.h"
#include "longformer/train/tensor_batch.h"

namespace longformer {
namespace {

[[noreturn]] void refuse_memory(std::int64_t step, std::int64_t tokens,
                                const std::string& why) {
  throw MemoryError("step " + std::to_string(step + 1) + ": a micro-batch of " +
                    std::to_string(tokens) +
                    " tokens does not fit in memory (" + why +
                    "); lower micro_batch_tokens or max_length");
}

}  // namespace

Trainer::Trainer(std::shared_ptr<LongformerClassifier> classifier,
                 const Dataset& dataset, TrainerSettings settings)
    : classifier_(std::move(classifier)),
      dataset_(dataset),
      settings_(std::move(settings)),
      sampler_(dataset.size(), settings_.batch_size, settings_.seed,
               settings_.shuffle),
      lengths_(dataset.lengths()),
      parameters_(named_parameters(*classifier_)),
      optimizer_(parameters_, settings_.adamw) {
  if (settings_.ema_decay > 0) {
    average_.emplace(parameters_, settings_.ema_decay);
  }
  const ModelConfig& config = classifier_->config();
  planner_.num_ranks = 1;
  planner_.micro_batch_tokens = settings_.micro_batch_tokens;
  planner_.cost = CostModel::of_layer(
      config.hidden_size, config.intermediate_size,
      config.attention_window.empty() ? 0 : config.attention_window[0] / 2);
}

void Trainer::accumulate(std::int64_t step, StepRecord& record) {
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor.mutable_grad() = at::Tensor();
  }
  const ModelConfig& config = classifier_->config();
  const std::span<const std::int64_t> rows =
      sampler_.rows(sampler_.position_of(step));
  const double weight = total_weight(dataset_, rows);
  if (!(weight > 0)) {
    throw DataError("step " + std::to_string(step + 1) +
                    ": all documents of the batch have weight 0; raise "
                    "batch_size or change class_weights");
  }
  const StepPlan plan = plan_step(rows, lengths_, planner_);
  ForwardSettings forward;
  forward.training = true;
  forward.dropout_key = random_key(settings_.seed, RandomPurpose::kDropout,
                                   static_cast<std::uint64_t>(step));
  forward.attention_path = settings_.attention_path;
  const at::Device device = parameters_[0].tensor.device();
  for (const MicroBatch& micro_batch : plan.ranks[0]) {
    const PackedBatch batch = pack(dataset_, micro_batch.documents);
    try {
      const ClassificationHead::Result result =
          classifier_->loss(to_packed_input(batch, device),
                            to_targets(batch, settings_.loss.problem_type,
                                       config.num_labels(), device),
                            settings_.loss, 1.0 / weight, forward);
      result.loss.backward();
      record.loss += result.loss.item<double>();
    } catch (const c10::OutOfMemoryError& error) {
      refuse_memory(step, batch.num_tokens(), error.what_without_backtrace());
    }
    if (forward.failure->out_of_memory) {
      refuse_memory(step, batch.num_tokens(), forward.failure->message);
    }
    if (forward.failure->failed) {
      throw std::runtime_error("step " + std::to_string(step + 1) + ": " +
                               forward.failure->message);
    }
    record.documents += batch.num_documents();
    record.tokens += batch.num_tokens();
    ++record.micro_batches;
  }
}

double Trainer::accumulate_gradients(std::int64_t step) {
  StepRecord record;
  accumulate(step, record);
  return record.loss;
}

double Trainer::gradient_norm() const {
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> norms;
  for (const NamedParameter& parameter : parameters_) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) {
      norms.push_back(at::linalg_vector_norm(gradient).to(at::kDouble));
    }
  }
  return at::linalg_vector_norm(at::stack(norms)).item<double>();
}

void Trainer::check_finite(const StepRecord& record) const {
  if (std::isfinite(record.loss) && std::isfinite(record.grad_norm)) return;
  throw DivergenceError(
      "step " + std::to_string(record.step) +
      ": the loss or its gradient is not finite (loss " +
      std::to_string(record.loss) + ", gradient norm " +
      std::to_string(record.grad_norm) +
      "): the run has diverged; lower learning_rate, lengthen the warm-up, or "
      "lower max_grad_norm");
}

StepRecord Trainer::step() {
  const std::int64_t index = steps_done_;
  const double factor = settings_.schedule.factor(index);
  StepRecord record;
  record.step = index + 1;
  record.epoch =
      static_cast<double>(record.step) / static_cast<double>(steps_per_epoch());
  record.learning_rate = settings_.learning_rate * factor;
  accumulate(index, record);
  record.grad_norm = gradient_norm();
  check_finite(record);
  double clip = 1;
  if (settings_.max_grad_norm > 0) {
    clip = std::min(1.0, settings_.max_grad_norm / (record.grad_norm + 1e-6));
  }
  optimizer_.step(record.learning_rate,
                  settings_.embedding_learning_rate * factor, clip);
  steps_done_ = record.step;
  if (average_) average_->update(steps_done_);
  return record;
}

}  // namespace longformer
