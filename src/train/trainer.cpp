// SPDX-License-Identifier: MIT
#include "longformer/train/trainer.h"

#include <chrono>
#include <cmath>

#include <ATen/Functions.h>

#include "longformer/base/error.h"
#include "longformer/base/fault_point.h"
#include "longformer/distributed/agreement.h"
#include "longformer/distributed/failure_text.h"
#include "longformer/train/counting_allocator.h"
#include "longformer/train/tensor_batch.h"

namespace longformer {
namespace {

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

[[noreturn]] void refuse_memory(std::int64_t step, std::int64_t tokens,
                                const std::string& why) {
  throw MemoryError("step " + std::to_string(step + 1) + ": a micro-batch of " +
                    std::to_string(tokens) +
                    " tokens does not fit in memory (" + why +
                    "); lower micro_batch_tokens or max_length, or give "
                    "--recomputation full");
}

}  // namespace

Trainer::Trainer(std::shared_ptr<LongformerClassifier> classifier,
                 const Dataset& dataset, TrainerSettings settings,
                 Communicator* communicator)
    : classifier_(std::move(classifier)),
      dataset_(dataset),
      settings_(std::move(settings)),
      sampler_(dataset.size(), settings_.batch_size, settings_.seed,
               settings_.shuffle),
      lengths_(dataset.lengths()),
      parameters_(named_parameters(*classifier_)),
      communicator_(communicator),
      optimizer_(parameters_, settings_.adamw) {
  if (settings_.ema_decay > 0) {
    average_.emplace(parameters_, settings_.ema_decay);
  }
  const ModelConfig& config = classifier_->config();
  planner_.num_ranks = communicator_ != nullptr ? communicator_->size() : 1;
  planner_.micro_batch_tokens = settings_.micro_batch_tokens;
  planner_.cost = CostModel::of_layer(
      config.hidden_size, config.intermediate_size,
      config.attention_window.empty() ? 0 : config.attention_window[0] / 2);
  if (communicator_ == nullptr) return;
  std::vector<at::Tensor> tensors;
  for (const NamedParameter& parameter : parameters_) {
    tensors.push_back(parameter.tensor);
  }
  exchange_ = std::make_unique<GradientExchange>(
      *communicator_, std::move(tensors),
      [this] { return classifier_->anchor(); }, settings_.exchange);
}

void Trainer::clear_gradients() {
  if (exchange_) return exchange_->zero();
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor.mutable_grad() = at::Tensor();
  }
}

RankLoad& Trainer::load(StepRecord& record) const {
  return record.ranks[communicator_ == nullptr
                          ? 0
                          : static_cast<std::size_t>(communicator_->rank())];
}

void Trainer::accumulate(std::int64_t step, StepRecord& record) {
  const Stopwatch watch;
  record.ranks.assign(static_cast<std::size_t>(planner_.num_ranks), {});
  if (communicator_ != nullptr) {
    communicator_->set_activity("step " + std::to_string(step + 1));
  }
  clear_gradients();
  const std::span<const std::int64_t> rows =
      sampler_.rows(sampler_.position_of(step));
  const double weight = total_weight(dataset_, rows);
  if (!(weight > 0)) {
    throw DataError("step " + std::to_string(step + 1) +
                    ": all documents of the batch have weight 0; raise "
                    "batch_size or change class_weights");
  }
  PlannerSettings planner = planner_;
  planner.first_rank = step % planner_.num_ranks;
  const StepPlan plan = plan_step(rows, lengths_, planner);
  load(record).data_seconds = watch.seconds();
  bool exchanged = false;
  std::exception_ptr failure;
  try {
    const auto rank =
        static_cast<std::size_t>(&load(record) - record.ranks.data());
    run_micro_batches(step, plan.ranks[rank], weight, record, exchanged);
  } catch (const PeerError&) {
    throw;
  } catch (...) {
    if (!exchange_) throw;
    failure = std::current_exception();
  }
  // The others wait for this rank, also if it has nothing to do or failed.
  if (exchange_ && !exchanged) exchange_->backward({});
  RankLoad& own = load(record);
  if (exchange_) own.exchange_seconds = exchange_->wait_seconds();
  own.compute_seconds =
      watch.seconds() - own.data_seconds - own.exchange_seconds;
  own.peak_memory_bytes = CountingAllocator::statistics().peak_bytes;
  if (exchange_) share_outcome(failure, record);
}

PackedBatch Trainer::gather(const MicroBatch& micro_batch,
                            StepRecord& record) const {
  const Stopwatch watch;
  PackedBatch batch = pack(dataset_, micro_batch.documents);
  load(record).data_seconds += watch.seconds();
  return batch;
}

void Trainer::run_micro_batches(std::int64_t step,
                                const std::vector<MicroBatch>& micro_batches,
                                double weight, StepRecord& record,
                                bool& exchanged) {
  const ModelConfig& config = classifier_->config();
  ForwardSettings forward;
  forward.training = true;
  forward.dropout_key = random_key(settings_.seed, RandomPurpose::kDropout,
                                   static_cast<std::uint64_t>(step));
  forward.attention_path = settings_.attention_path;
  forward.recomputation = settings_.recomputation;
  const at::Device device = classifier_->device();
  // The exchange divides by the number of ranks.
  const auto num_ranks = static_cast<double>(planner_.num_ranks);
  for (const MicroBatch& micro_batch : micro_batches) {
    const PackedBatch batch = gather(micro_batch, record);
    try {
      fault_point("forward");
      const ClassificationHead::Result result =
          classifier_->loss(to_packed_input(batch, device),
                            to_targets(batch, settings_.loss.problem_type,
                                       config.num_labels(), device),
                            settings_.loss, num_ranks / weight, forward);
      result.loss.register_hook(
          [](const at::Tensor&) { fault_point("backward"); });
      run_backward(result.loss, &micro_batch == &micro_batches.back(),
                   exchanged);
      record.loss += result.loss.item<double>() / num_ranks;
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

void Trainer::run_backward(const at::Tensor& loss, bool is_last,
                           bool& exchanged) {
  if (exchange_ && is_last) {
    exchanged = true;
    exchange_->backward(loss);
  } else {
    loss.backward();
  }
}

void Trainer::share_outcome(const std::exception_ptr& failure,
                            StepRecord& record) {
  // One exchange decides for all ranks whether the step counts.
  std::vector<double> sums{failure ? 1.0 : 0.0,
                           record.loss,
                           static_cast<double>(record.documents),
                           static_cast<double>(record.tokens),
                           static_cast<double>(record.micro_batches),
                           record.is_stop_wanted ? 1.0 : 0.0};
  const std::size_t at = sums.size();
  for (const RankLoad& rank : record.ranks) {  // Only this one's is not 0.
    sums.insert(sums.end(),
                {rank.compute_seconds, rank.data_seconds, rank.exchange_seconds,
                 static_cast<double>(rank.peak_memory_bytes)});
  }
  communicator_->reduce(sums, Reduction::kSum);
  if (sums[0] > 0) {
    const auto first = first_failure(
        *communicator_,
        failure ? std::optional(failure_text(failure)) : std::nullopt);
    if (failure) std::rethrow_exception(failure);
    const std::string& activity = communicator_->activity();
    const bool is_placed = first->message.find(activity) != std::string::npos;
    throw PeerError("rank " + std::to_string(first->rank) + " failed" +
                    (is_placed ? "" : " in " + activity) + ": " +
                    first->message);
  }
  record.loss = sums[1];
  record.documents = std::llround(sums[2]);
  record.tokens = std::llround(sums[3]);
  record.micro_batches = std::llround(sums[4]);
  record.is_stop_wanted = sums[5] > 0;
  for (std::size_t i = 0; i < record.ranks.size(); ++i) {
    const double* values = &sums[at + 4 * i];
    record.ranks[i] = {values[0], values[1], values[2],
                       std::llround(values[3])};
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

StepRecord Trainer::step(bool wants_stop) {
  const std::int64_t index = steps_done_;
  const double factor = settings_.schedule.factor(index);
  StepRecord record;
  record.step = index + 1;
  record.is_stop_wanted = wants_stop;
  record.epoch =
      static_cast<double>(record.step) / static_cast<double>(steps_per_epoch());
  record.learning_rate = settings_.learning_rate * factor;
  const ExchangeTraffic before =
      communicator_ != nullptr ? communicator_->traffic() : ExchangeTraffic();
  accumulate(index, record);
  if (communicator_ != nullptr) {
    const ExchangeTraffic after = communicator_->traffic();
    record.all_reduces = after.all_reduces - before.all_reduces;
    record.exchanged_bytes = after.all_reduce_bytes - before.all_reduce_bytes;
  }
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
