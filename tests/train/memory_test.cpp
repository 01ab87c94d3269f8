// SPDX-License-Identifier: MIT
//
// The memory of a training step grows with the length of a document, not with
// its square.
#include <cstdio>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "longformer/train/counting_allocator.h"
#include "longformer/train/trainer.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

struct StepMemory {
  std::int64_t tokens = 0;
  std::int64_t peak_bytes = 0;  ///< With the model and its moments.
  std::int64_t largest_bytes = 0;
};

ModelConfig long_config(Pooling pooling) {
  ModelConfig config = tiny_config();
  config.max_position_embeddings = 16384 + 2;
  config.attention_window = {64, 64};
  config.hidden_dropout_prob = 0.1;
  config.attention_probs_dropout_prob = 0.1;
  config.pooling = pooling;
  return config;
}

/// A document with `num_globals` global tokens, spread over all of it.
Dataset one_document(std::int64_t tokens, std::int64_t num_globals,
                     const ModelConfig& config) {
  if (num_globals == 1) return tiny_dataset({tokens}, config);
  EncodeOptions options;
  options.max_length = config.usable_length();
  options.vocab_size = config.vocab_size;
  options.max_position_embeddings = config.max_position_embeddings;
  DatasetBuilder builder({"memory"}, options);
  EncodedDocument document;
  document.ids.assign(static_cast<std::size_t>(tokens), 7);
  document.global_positions.emplace();
  for (std::int64_t g = 0; g < num_globals; ++g) {
    document.global_positions->push_back(
        static_cast<std::int32_t>(g * tokens / num_globals));
  }
  builder.add(document, RawLabel(std::string("LABEL_0")), {0, 1, 1, 1});
  Dataset dataset = builder.finish();
  dataset.set_targets(LabelMap(ProblemType::kSingleLabel, config.labels));
  return dataset;
}

StepMemory measure(std::int64_t tokens, std::int64_t num_globals,
                   Pooling pooling, AttentionPath path) {
  const ModelConfig config = long_config(pooling);
  const Dataset data = one_document(tokens, num_globals, config);
  TrainerSettings settings;
  settings.batch_size = 1;
  settings.attention_path = path;
  Trainer trainer(tiny_classifier(config), data, settings);
  trainer.step();  // Gradients and moments exist from here on.
  CountingAllocator::reset_peak();
  trainer.step();
  const AllocatorStatistics after = CountingAllocator::statistics();
  return {tokens, after.peak_bytes, after.largest_bytes};
}

void expect_linear_growth(std::int64_t num_globals, Pooling pooling,
                          AttentionPath path) {
  std::vector<StepMemory> series;
  std::printf("%8s %14s %14s %12s\n", "tokens", "peak bytes", "largest block",
              "bytes/token");
  for (const std::int64_t tokens : {1024, 2048, 4096, 8192, 16384}) {
    const StepMemory memory = measure(tokens, num_globals, pooling, path);
    series.push_back(memory);
    std::printf("%8lld %14lld %14lld %12.1f\n",
                static_cast<long long>(memory.tokens),
                static_cast<long long>(memory.peak_bytes),
                static_cast<long long>(memory.largest_bytes),
                static_cast<double>(memory.peak_bytes) /
                    static_cast<double>(memory.tokens));
    // A score matrix of one head, one byte an entry, would be larger.
    EXPECT_LT(memory.largest_bytes,
              std::max<std::int64_t>(tokens * tokens, std::int64_t{1} << 22))
        << tokens;
  }
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  for (std::size_t i = 2; i < series.size(); ++i) {
    SCOPED_TRACE(series[i].tokens);
    // Sizes of blocks are rounded up by at most an eighth.
    EXPECT_LE(ratio(series[i].largest_bytes, series[i - 1].largest_bytes),
              2.25);
    // The same without the part that does not depend on the length.
    EXPECT_LE(ratio(series[i].peak_bytes - series[i - 1].peak_bytes,
                    series[i - 1].peak_bytes - series[i - 2].peak_bytes),
              2.1);
  }
}

class StepMemoryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    CountingAllocator::install();
    at::set_num_threads(2);
  }
};

TEST_F(StepMemoryTest, GrowsLinearlyWithTheLengthOfADocument) {
  expect_linear_growth(1, Pooling::kCls, AttentionPath::kAuto);
}

TEST_F(StepMemoryTest, GrowsLinearlyWithMeanPooling) {
  expect_linear_growth(1, Pooling::kMean, AttentionPath::kAuto);
}

TEST_F(StepMemoryTest, GrowsLinearlyWithScatteredGlobalTokens) {
  expect_linear_growth(5, Pooling::kMean, AttentionPath::kAuto);
}

TEST_F(StepMemoryTest, GrowsLinearlyOnTheBlockedPath) {
  expect_linear_growth(5, Pooling::kMean, AttentionPath::kBlocked);
}

}  // namespace
}  // namespace longformer::test
