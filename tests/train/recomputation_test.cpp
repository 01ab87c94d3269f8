// SPDX-License-Identifier: MIT
//
// What a layer computes again equals what it would have kept, bit for bit, and
// is not kept.
#include <map>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "longformer/train/counting_allocator.h"
#include "longformer/train/trainer.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

using Choices = std::vector<Recomputation>;
constexpr Recomputation kNone = Recomputation::kNone;
constexpr Recomputation kSelective = Recomputation::kSelective;
constexpr Recomputation kFull = Recomputation::kFull;

ModelConfig config_with_dropout(Pooling pooling) {
  ModelConfig config = tiny_config(3, 3);
  config.hidden_dropout_prob = 0.1;
  config.attention_probs_dropout_prob = 0.1;
  config.pooling = pooling;
  return config;
}

struct Outcome {
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> weights;
};

/// The gradients of the first of two steps, each in several micro-batches, and
/// the weights after both.
Outcome train(Pooling pooling, AttentionPath path, at::ScalarType dtype,
              const Choices& choices) {
  const ModelConfig config = config_with_dropout(pooling);
  const Dataset data = tiny_dataset({40, 3, 77, 128, 19, 1, 64, 33}, config);
  auto classifier = tiny_classifier(config, 1, dtype);
  TrainerSettings settings;
  settings.batch_size = 4;
  settings.micro_batch_tokens = 150;
  settings.learning_rate = settings.embedding_learning_rate = 1e-3;
  settings.schedule = LearningRateSchedule(Schedule::kConstant, 0, 10);
  settings.attention_path = path;
  settings.recomputation = choices;
  Trainer trainer(classifier, data, settings);
  trainer.accumulate_gradients(0);
  Outcome outcome{gradients_of(*classifier), {}};
  trainer.step();
  trainer.step();
  outcome.weights = weights_of(*classifier);
  return outcome;
}

TEST(RecomputationTest, ChangesNoBitOfTheGradientsOrTheWeights) {
  for (const Pooling pooling : {Pooling::kCls, Pooling::kMean}) {
    for (const auto& [path, dtype] :
         {std::pair(AttentionPath::kAuto, at::kFloat),
          std::pair(AttentionPath::kBlocked, at::kFloat),
          std::pair(AttentionPath::kBlocked, at::kDouble)}) {
      const Outcome plain = train(pooling, path, dtype, {});
      for (const Choices& choices :
           {Choices{kSelective, kSelective, kSelective},
            Choices{kFull, kFull, kFull}, Choices{kFull, kNone, kSelective}}) {
        const Outcome again = train(pooling, path, dtype, choices);
        EXPECT_TRUE(bit_equal(again.gradients, plain.gradients));
        EXPECT_TRUE(bit_equal(again.weights, plain.weights));
      }
    }
  }
}

/// Bytes that a step needs for each token more.
double bytes_per_token(Recomputation choice, std::int64_t num_layers) {
  ModelConfig config = tiny_config(2, num_layers);
  config.max_position_embeddings = 8192 + 2;
  std::map<std::int64_t, std::int64_t> peaks;
  for (const std::int64_t tokens : {4096, 8192}) {
    const Dataset data = tiny_dataset({tokens}, config);
    TrainerSettings settings;
    settings.batch_size = 1;
    settings.recomputation.assign(static_cast<std::size_t>(num_layers), choice);
    Trainer trainer(tiny_classifier(config), data, settings);
    trainer.step();
    CountingAllocator::reset_peak();
    trainer.step();
    peaks[tokens] = CountingAllocator::statistics().peak_bytes;
  }
  return static_cast<double>(peaks[8192] - peaks[4096]) / 4096;
}

// A layer keeps its input, q, k, v, attention, two sums and a norm (E each),
// and the feed-forward part twice (64 each); selective form does without the
// norm and the activated half.
TEST(RecomputationTest, KeepsOnlyWhatItSays) {
  CountingAllocator::install();
  at::set_num_threads(2);
  constexpr double kHidden = 32 * 4.0;
  constexpr double kExpanded = 64 * 4.0;
  // Mean and deviation of two norms, the softmax normaliser of four heads.
  constexpr double kStatistics = (4 + 4) * 4.0;
  const auto per_layer = [](Recomputation choice) {
    return (bytes_per_token(choice, 8) - bytes_per_token(choice, 4)) / 4;
  };
  const auto expect_about = [&](Recomputation choice, double bytes) {
    const double measured = per_layer(choice);
    EXPECT_GT(measured, 0.99 * bytes);
    // Sizes of blocks are rounded up by at most an eighth.
    EXPECT_LT(measured, 1.15 * bytes);
  };
  expect_about(kNone, 8 * kHidden + 2 * kExpanded + kStatistics);
  expect_about(kSelective, 7 * kHidden + kExpanded + kStatistics);
  expect_about(kFull, kHidden);
}

}  // namespace
}  // namespace longformer::test
