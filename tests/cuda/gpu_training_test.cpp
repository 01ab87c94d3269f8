// SPDX-License-Identifier: MIT
//
// Training, answers and checkpoints of a model on a GPU beside the same on the
// CPU.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "longformer/train/evaluator.h"
#include "longformer/train/saved_tensors.h"
#include "longformer/train/trainer.h"

#include "../train/tiny_model.h"
#include "gpu_environment.h"
#include "support/temp_dir.h"

namespace longformer::test {
namespace {

const at::Device kGpu(at::kCUDA, 0);

ModelConfig config_with(Pooling pooling) {
  ModelConfig config = tiny_config(3);
  config.hidden_dropout_prob = 0.1;
  config.attention_probs_dropout_prob = 0.1;
  config.pooling = pooling;
  return config;
}

TrainerSettings settings_with(Recomputation recomputation) {
  TrainerSettings settings;
  settings.batch_size = 8;
  settings.micro_batch_tokens = 150;
  settings.learning_rate = settings.embedding_learning_rate = 1e-3;
  settings.schedule = LearningRateSchedule(Schedule::kConstant, 0, 10);
  settings.recomputation = {recomputation, recomputation};
  return settings;
}

std::vector<at::Tensor> on_host(std::vector<at::Tensor> tensors) {
  for (at::Tensor& tensor : tensors) tensor = tensor.cpu();
  return tensors;
}

TEST(GpuTrainingTest, TakesTheStepsOfTheCpu) {
  LONGFORMER_NEED_GPU();
  at::globalContext().setAllowTF32CuBLAS(false);
  for (const Pooling pooling : {Pooling::kCls, Pooling::kMean}) {
    for (const auto recomputation :
         {Recomputation::kNone, Recomputation::kFull}) {
      const ModelConfig config = config_with(pooling);
      const Dataset data =
          tiny_dataset({40, 3, 77, 128, 19, 1, 64, 33}, config);
      const auto host = tiny_classifier(config);
      const auto gpu = tiny_classifier(config);
      gpu->to(kGpu);
      Trainer on_cpu(host, data, settings_with(recomputation));
      Trainer on_gpu(gpu, data, settings_with(recomputation));
      for (int step = 0; step < 3; ++step) {
        EXPECT_NEAR(on_gpu.step().loss, on_cpu.step().loss, 1e-5);
      }
      EXPECT_LE(
          relative_difference(weights_of(*host), on_host(weights_of(*gpu))),
          1e-4);
      const auto expected = answer(*host, data, ProblemType::kSingleLabel, 200);
      const auto actual = answer(*gpu, data, ProblemType::kSingleLabel, 200);
      for (std::size_t i = 0; i < expected.logits.size(); ++i) {
        EXPECT_NEAR(actual.logits[i], expected.logits[i], 1e-3);
      }
    }
  }
}

TEST(GpuTrainingTest, ReadsAndWritesTensorsOnTheGpu) {
  LONGFORMER_NEED_GPU();
  const TempDir dir;
  const std::string path = (dir / "model.safetensors").string();
  const auto saved = tiny_classifier(config_with(Pooling::kMean), 1);
  saved->to(kGpu);
  save_tensors(named_parameters(*saved), path);
  const auto loaded = tiny_classifier(config_with(Pooling::kMean), 2);
  loaded->to(kGpu);
  load_tensors(named_parameters(*loaded), path);
  EXPECT_TRUE(
      bit_equal(on_host(weights_of(*loaded)), on_host(weights_of(*saved))));
}

}  // namespace
}  // namespace longformer::test
