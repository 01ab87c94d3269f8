// SPDX-License-Identifier: MIT
#include <csignal>

#include <ATen/ATen.h>

#include "longformer/base/error.h"
#include "longformer/distributed/agreement.h"
#include "longformer/io/digest.h"
#include "longformer/model/block.h"
#include "longformer/train/counting_allocator.h"
#include "longformer/train/trainer.h"

#include "distributed/rank_worker.h"
#include "train/tiny_model.h"

namespace longformer::test {
namespace {

/// A ragged set of documents and a model with dropout, the same on each rank.
struct Job {
  explicit Job(at::ScalarType dtype_ = at::kDouble) : dtype(dtype_) {
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.1;
    data = tiny_dataset({40, 3, 77, 128, 19, 1, 64, 33, 90, 12}, config);
    settings.micro_batch_tokens = 100;
    settings.learning_rate = settings.embedding_learning_rate = 1e-3;
    settings.schedule = LearningRateSchedule(Schedule::kConstant, 0, 100);
    // Several buckets of this small model.
    settings.exchange = {1 << 12, 1 << 14};
  }

  Trainer trainer(std::int64_t batch_size, Communicator* ranks) {
    settings.batch_size = batch_size;
    return {tiny_classifier(config, 1, dtype), data, settings, ranks};
  }

  at::ScalarType dtype;
  ModelConfig config = tiny_config();
  Dataset data = tiny_dataset({2}, config);
  TrainerSettings settings;
};

std::string digest_of_all(const std::vector<at::Tensor>& tensors) {
  Digest digest;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor plain = tensor.contiguous();
    digest.update({static_cast<const char*>(plain.data_ptr()), plain.nbytes()});
  }
  return digest.hex();
}

void require_close(double a, double b, double tolerance,
                   const std::string& what) {
  require(std::abs(a - b) <= tolerance * std::abs(a),
          what + ": " + std::to_string(a) + " and " + std::to_string(b));
}

bool is_double(const Words& words) { return words.at(0) == "fp64"; }

/// Gradients equal one process's, for batches that divide, do not divide and
/// are smaller than the number of ranks: in fp64 nearly to the last bit, in
/// fp32 as well as one process's equal those in fp64.
void gradients(Communicator& ranks, const Words& words) {
  Job exact_job;
  Job job(is_double(words) ? at::kDouble : at::kFloat);
  const double least = is_double(words) ? 1e-12 : 1e-6;
  for (const std::int64_t batch_size : {10, 4, 7, 3, 1}) {
    Trainer exact = exact_job.trainer(batch_size, nullptr);
    Trainer alone = job.trainer(batch_size, nullptr);
    Trainer together = job.trainer(batch_size, &ranks);
    for (std::int64_t step = 0; step < 3; ++step) {
      exact.accumulate_gradients(step);
      require_close(alone.accumulate_gradients(step),
                    together.accumulate_gradients(step), least, "loss");
      const auto ours = gradients_of(together.classifier());
      const double rounding = relative_difference(
          gradients_of(exact.classifier()), gradients_of(alone.classifier()));
      const double tolerance = std::max(least, 2 * rounding);
      const double difference =
          relative_difference(gradients_of(alone.classifier()), ours);
      require(difference <= tolerance,
              "gradients within tolerance, batch " +
                  std::to_string(batch_size) + ": difference " +
                  std::to_string(difference * 1e9) + "e-9");
      check_agreement(ranks, {{"gradients", digest_of_all(ours)}});
    }
  }
}

/// Losses and weights equal one process's over many steps, with batches that
/// divide, do not divide (the last one of an epoch is ragged) and are smaller
/// than the number of ranks, in one and in several micro-batches. Exactly one
/// exchange more than there are buckets.
void steps(Communicator& ranks, const Words& words) {
  Job job(is_double(words) ? at::kDouble : at::kFloat);
  const double tolerance = is_double(words) ? 1e-10 : 1e-5;
  std::int64_t gradient_bytes = 0;
  for (const std::int64_t batch_size : {3, 4, 7, 1}) {
    Trainer alone = job.trainer(batch_size, nullptr);
    Trainer together = job.trainer(batch_size, &ranks);
    gradient_bytes = 0;
    for (const at::Tensor& weight : weights_of(together.classifier())) {
      gradient_bytes += static_cast<std::int64_t>(weight.nbytes());
    }
    require(together.num_buckets() > 2, "several buckets");
    for (int i = 0; i < 12; ++i) {
      const StepRecord a = alone.step();
      const StepRecord b = together.step();
      require_close(a.loss, b.loss, tolerance, "loss");
      require_close(a.grad_norm, b.grad_norm, tolerance, "grad_norm");
      require(a.documents == b.documents && a.tokens == b.tokens,
              "documents and tokens of all ranks");
      require(b.all_reduces == together.num_buckets() + 1,
              "one exchange for each bucket and one for the outcome");
      const std::int64_t rest = b.exchanged_bytes - gradient_bytes;
      require(rest >= 0 && rest < 400, "4 or 8 bytes for each parameter");
      require(b.ranks.size() == static_cast<std::size_t>(ranks.size()),
              "the load of each rank");
      for (const RankLoad& load : b.ranks) {
        require(load.compute_seconds > 0 && load.data_seconds > 0 &&
                    load.exchange_seconds >= 0,
                "times of each rank");
      }
    }
    const auto weights = weights_of(together.classifier());
    check_agreement(ranks, {{"weights", digest_of_all(weights)}});
    require(relative_difference(weights_of(alone.classifier()), weights) <=
                tolerance,
            "weights of one process");
  }
}

/// Half of the bytes, and gradients that are rounded, not overflown: the sum of
/// all ranks' would be beyond what halves hold.
void compression(Communicator& ranks, const Words& /*words*/) {
  Job job(at::kFloat);
  Trainer alone = job.trainer(10, nullptr);
  job.settings.exchange.compress = true;
  Trainer together = job.trainer(10, &ranks);
  alone.accumulate_gradients(0);
  together.accumulate_gradients(0);
  const double difference = relative_difference(
      gradients_of(alone.classifier()), gradients_of(together.classifier()));
  require(difference > 1e-6 && difference < 2e-3, "rounded gradients");
  std::int64_t count = 0;
  for (const at::Tensor& weight : weights_of(together.classifier())) {
    count += weight.numel();
  }
  const StepRecord record = together.step();
  const std::int64_t rest = record.exchanged_bytes - 2 * count;
  require(rest >= 0 && rest < 400, "2 bytes for each parameter");

  at::Tensor big = at::full({3}, 1.0);
  big.requires_grad_();
  GradientExchangeSettings settings;
  settings.compress = true;
  GradientExchange exchange(
      ranks, {big}, [&] { return run_anchor({}, {big}); }, settings);
  exchange.zero();
  exchange.backward((big * 60000).sum());
  require((big.grad() - 60000).abs().max().item<double>() < 32,
          "divided before the cast");
}

/// Rank 1 runs out of memory at every allocation in turn.
void refused_memory(Communicator& ranks, const Words& /*words*/) {
  Job job;
  Trainer alone = job.trainer(10, nullptr);
  Trainer together = job.trainer(10, &ranks);
  alone.accumulate_gradients(0);
  int failures = 0;
  for (std::int64_t n = 1;; n += 7) {
    if (ranks.rank() == 1) CountingAllocator::fail_at(n);
    try {
      together.accumulate_gradients(0);
      CountingAllocator::fail_at(0);
      break;
    } catch (const MemoryError&) {
      require(ranks.rank() == 1, "only rank 1 is out of memory");
    } catch (const PeerError& error) {
      require(std::string(error.what()).find("rank 1 failed: step 1: ") == 0,
              error.what());
    }
    ++failures;
  }
  require(failures > 10, "many failures");
  require(relative_difference(gradients_of(alone.classifier()),
                              gradients_of(together.classifier())) <= 1e-12,
          "gradients after the failures");
}

/// Rank 1 ends in the third step by the signal given, or with `exit`.
void end(Communicator& ranks, const Words& words) {
  Job job;
  Trainer together = job.trainer(10, &ranks);
  for (int i = 0; i < 2; ++i) together.step();
  if (ranks.rank() == 1) {
    if (words.at(0) == "exit") _exit(9);
    raise(std::stoi(words.at(0)));
  }
  together.step();
}

}  // namespace

std::map<std::string, Scenario> training_scenarios() {
  return {{"gradients", gradients},
          {"steps", steps},
          {"compression", compression},
          {"refused_memory", refused_memory},
          {"end", end}};
}

}  // namespace longformer::test
