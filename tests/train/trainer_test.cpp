// SPDX-License-Identifier: MIT
#include "longformer/train/trainer.h"

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/train/counting_allocator.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

TrainerSettings settings_for(std::int64_t batch_size,
                             std::int64_t micro_batch_tokens,
                             std::int64_t total_steps = 100) {
  TrainerSettings settings;
  settings.batch_size = batch_size;
  settings.micro_batch_tokens = micro_batch_tokens;
  settings.seed = 3;
  settings.learning_rate = 1e-3;
  settings.embedding_learning_rate = 1e-3;
  settings.schedule = LearningRateSchedule(Schedule::kLinear, 5, total_steps);
  return settings;
}

ModelConfig with_dropout(double probability) {
  ModelConfig config = tiny_config(3);
  config.hidden_dropout_prob = probability;
  config.attention_probs_dropout_prob = probability;
  return config;
}

std::vector<at::Tensor> gradients(const ModelConfig& config,
                                  at::ScalarType dtype,
                                  std::int64_t micro_batch_tokens) {
  const Dataset data = tiny_dataset({40, 3, 77, 128, 19, 1, 64, 33}, config);
  auto classifier = tiny_classifier(config, 1, dtype);
  Trainer trainer(classifier, data, settings_for(8, micro_batch_tokens));
  trainer.accumulate_gradients(0);
  return gradients_of(*classifier);
}

class MicroBatchTest : public testing::TestWithParam<at::ScalarType> {};

TEST_P(MicroBatchTest, SizeDoesNotChangeTheGradientsWithDropoutOn) {
  const ModelConfig config = with_dropout(0.1);
  const double tolerance = GetParam() == at::kDouble ? 1e-12 : 1e-6;
  const auto one = gradients(config, GetParam(), 100000);
  for (const std::int64_t tokens : {1, 60, 130, 200}) {
    EXPECT_LE(relative_difference(one, gradients(config, GetParam(), tokens)),
              tolerance)
        << tokens << " tokens";
  }
}

std::string type_name(const testing::TestParamInfo<at::ScalarType>& tested) {
  return tested.param == at::kDouble ? "Fp64" : "Fp32";
}

INSTANTIATE_TEST_SUITE_P(Types, MicroBatchTest,
                         testing::Values(at::kDouble, at::kFloat), type_name);

/// The loss of step 0 as a function of one weight.
double loss_with(LongformerClassifier& classifier, Trainer& trainer,
                 const at::Tensor& weight, std::int64_t index, double change) {
  const at::NoGradGuard no_gradients;
  double* value = weight.data_ptr<double>() + index;
  const double before = *value;
  *value += change;
  double loss = 0;
  {
    const at::AutoGradMode with_gradients(true);
    loss = trainer.accumulate_gradients(0);
  }
  *value = before;
  (void)classifier;
  return loss;
}

void expect_central_differences(const ModelConfig& config) {
  const Dataset data = tiny_dataset({9, 4, 30}, config);
  auto classifier = tiny_classifier(config, 2, at::kDouble);
  Trainer trainer(classifier, data, settings_for(3, 1000));
  trainer.accumulate_gradients(0);
  const auto analytic = gradients_of(*classifier);
  const auto parameters = named_parameters(*classifier);
  constexpr double kStep = 1e-5;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const at::Tensor& weight = parameters[p].tensor;
    // A few entries of every tensor, the ends included.
    for (const std::int64_t index :
         {std::int64_t{0}, weight.numel() / 3, weight.numel() - 1}) {
      const double difference =
          (loss_with(*classifier, trainer, weight, index, kStep) -
           loss_with(*classifier, trainer, weight, index, -kStep)) /
          (2 * kStep);
      const double gradient = analytic[p].flatten()[index].item<double>();
      EXPECT_NEAR(gradient, difference, 1e-8 + 1e-6 * std::abs(difference))
          << parameters[p].name << "[" << index << "]";
    }
  }
}

TEST(GradientTest, EqualsCentralDifferencesWithDropout) {
  expect_central_differences(with_dropout(0.1));
}

TEST(GradientTest, EqualsCentralDifferencesWithMeanPooling) {
  ModelConfig config = with_dropout(0.1);
  config.pooling = Pooling::kMean;
  expect_central_differences(config);
}

TEST(TrainerTest, TwoRunsAreBitIdentical) {
  const ModelConfig config = with_dropout(0.1);
  const Dataset data = tiny_dataset({40, 3, 77, 128, 19, 1, 64, 33}, config);
  std::vector<std::vector<at::Tensor>> results;
  for (int run = 0; run < 2; ++run) {
    auto classifier = tiny_classifier(config);
    Trainer trainer(classifier, data, settings_for(3, 100));
    for (int step = 0; step < 6; ++step) trainer.step();
    results.push_back(weights_of(*classifier));
  }
  EXPECT_TRUE(bit_equal(results[0], results[1]));
}

TEST(TrainerTest, TheShortLastBatchOfAnEpochIsUsed) {
  const ModelConfig config = tiny_config();
  const Dataset data = tiny_dataset(std::vector<std::int64_t>(10, 12), config);
  auto classifier = tiny_classifier(config);
  Trainer trainer(classifier, data, settings_for(4, 12));
  EXPECT_EQ(trainer.steps_per_epoch(), 3);
  std::vector<std::int64_t> documents;
  for (int step = 0; step < 3; ++step) {
    documents.push_back(trainer.step().documents);
  }
  EXPECT_EQ(documents, (std::vector<std::int64_t>{4, 4, 2}));
}

// transformers issue 38837: a short last window divided by the full count.
TEST(TrainerTest, AccumulationEqualsExplicitBatches) {
  const ModelConfig config = tiny_config();
  const Dataset data =
      tiny_dataset({12, 30, 7, 9, 60, 22, 14, 5, 41, 18}, config);
  std::vector<std::vector<at::Tensor>> results;
  for (const std::int64_t tokens : {1, 1000}) {
    auto classifier = tiny_classifier(config, 1, at::kDouble);
    Trainer trainer(classifier, data, settings_for(4, tokens));
    for (int step = 0; step < 3; ++step) trainer.step();
    results.push_back(weights_of(*classifier));
  }
  EXPECT_LE(relative_difference(results[0], results[1]), 1e-9);
}

TEST(TrainerTest, LearnsAMarkerWord) {
  const ModelConfig config = tiny_config(2);
  const Dataset data = tiny_dataset(std::vector<std::int64_t>(32, 20), config);
  auto classifier = tiny_classifier(config);
  TrainerSettings settings = settings_for(16, 1000, 150);
  settings.learning_rate = settings.embedding_learning_rate = 5e-3;
  Trainer trainer(classifier, data, settings);
  double loss = 0;
  for (int step = 0; step < 150; ++step) loss = trainer.step().loss;
  EXPECT_LT(loss, 0.05);
}

TEST(TrainerTest, EveryParameterGetsAGradient) {
  const ModelConfig config = tiny_config();
  const Dataset data = tiny_dataset({20, 30}, config);
  auto classifier = tiny_classifier(config);
  Trainer trainer(classifier, data, settings_for(2, 1000));
  trainer.accumulate_gradients(0);
  for (const NamedParameter& parameter : named_parameters(*classifier)) {
    EXPECT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
  }
}

TEST(TrainerTest, ADivergedLossIsAnErrorThatSaysWhatToDo) {
  const ModelConfig config = tiny_config();
  const Dataset data = tiny_dataset({20, 30}, config);
  auto classifier = tiny_classifier(config);
  {
    const at::NoGradGuard no_gradients;
    named_parameters(*classifier)[0].tensor.fill_(NAN);
  }
  Trainer trainer(classifier, data, settings_for(2, 1000));
  try {
    trainer.step();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step 1"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("learning_rate"),
              std::string::npos);
  }
}

TEST(TrainerTest, ARefusedAllocationAnywhereIsAMemoryErrorAndLeavesWeights) {
  CountingAllocator::install();
  const ModelConfig config = with_dropout(0.1);
  const Dataset data = tiny_dataset({40, 30, 100}, config);
  auto classifier = tiny_classifier(config);
  Trainer trainer(classifier, data, settings_for(3, 1000));
  const auto before = weights_of(*classifier);
  int failures = 0;
  for (std::int64_t n = 1;; n += 3) {
    CountingAllocator::fail_at(n);
    try {
      trainer.accumulate_gradients(0);
      CountingAllocator::fail_at(0);
      break;
    } catch (const MemoryError& error) {
      ++failures;
      EXPECT_NE(std::string(error.what()).find("micro_batch_tokens"),
                std::string::npos);
    }
  }
  EXPECT_GT(failures, 10);
  EXPECT_TRUE(bit_equal(before, weights_of(*classifier)));
}

}  // namespace
}  // namespace longformer::test
