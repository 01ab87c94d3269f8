// SPDX-License-Identifier: MIT
//
// The reference's optimisation trajectories through the product's own trainer:
// accumulation over ragged windows, class weights, warm-up from rate 0, linear
// decay, clipping, AdamW.
#include <gtest/gtest.h>

#include "longformer/io/file_system.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/trainer.h"

#include "../model/golden_case.h"
#include "support/golden.h"

namespace longformer::test {
namespace {

struct Run {
  const char* name;
  at::ScalarType dtype;
};

/// Without this, the bytes of the object would be part of the test's name.
void PrintTo(const Run& run, std::ostream* out) { *out << run.name; }

std::string key_of(at::ScalarType dtype) {
  return dtype == at::kDouble ? "f64" : "f32";
}

Dataset load_documents(const std::string& directory,
                       const ModelConfig& config) {
  const auto data = read_tensors(directory + "/data.safetensors");
  DatasetBuilder builder({directory}, encode_options(config, 0));
  const at::Tensor& ids = data.at("input_ids");
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    EncodedDocument document;
    const auto length = data.at("lengths")[row].item<std::int64_t>();
    for (std::int64_t i = 0; i < length; ++i) {
      document.ids.push_back(
          static_cast<std::int32_t>(ids[row][i].item<std::int64_t>()));
    }
    document.global_prefix = 1;
    builder.add(document,
                RawLabel(config.labels[static_cast<std::size_t>(
                    data.at("labels")[row].item<std::int64_t>())]),
                {0, 1, row + 1, row + 1});
  }
  Dataset dataset = builder.finish();
  dataset.set_targets(LabelMap(ProblemType::kSingleLabel, config.labels));
  return dataset;
}

class TrajectoryTest : public testing::TestWithParam<Run> {
 protected:
  TrajectoryTest()
      : directory_((golden_dir() / "trajectory" / GetParam().name).string()),
        description_(
            parse_strict_json(read_file(directory_ + "/trajectory.json"))),
        weights_(read_tensors(directory_ + "/weights.safetensors")) {}

  TrainerSettings settings() const {
    const Json& optimizer = description_.at("optimizer");
    TrainerSettings settings;
    settings.batch_size = description_.at("micro_batch").get<std::int64_t>() *
                          description_.at("accumulation").get<std::int64_t>();
    settings.micro_batch_tokens = 40;  // Several micro-batches a step.
    settings.shuffle = false;
    settings.learning_rate = settings.embedding_learning_rate =
        optimizer.at("lr").get<double>();
    settings.schedule = LearningRateSchedule(
        Schedule::kLinear, optimizer.at("warmup_steps").get<std::int64_t>(),
        optimizer.at("total_steps").get<std::int64_t>());
    settings.adamw = {optimizer.at("betas")[0].get<double>(),
                      optimizer.at("betas")[1].get<double>(),
                      optimizer.at("eps").get<double>(),
                      optimizer.at("weight_decay").get<double>()};
    settings.max_grad_norm = optimizer.at("max_grad_norm").get<double>();
    return settings;
  }

  void expect_weights(const std::vector<NamedParameter>& tensors,
                      const std::string& prefix) {
    const bool is_double = GetParam().dtype == at::kDouble;
    const double tolerance = is_double ? 1e-9 : 5e-6;
    int compared = 0;
    for (const NamedParameter& tensor : tensors) {
      // In fp32 the reference's gradient of a key bias is rounding noise,
      // which Adam turns into drift; here it is exactly 0.
      if (!is_double && (tensor.name.ends_with("key.bias") ||
                         tensor.name.ends_with("key_global.bias"))) {
        continue;
      }
      const auto found = weights_.find(prefix + tensor.name);
      if (found == weights_.end()) continue;
      ++compared;
      EXPECT_LE(
          (tensor.tensor.detach() - found->second).abs().max().item<double>(),
          tolerance)
          << prefix << tensor.name;
    }
    compared_ += compared;
  }

  std::string directory_;
  Json description_;
  std::map<std::string, at::Tensor> weights_;
  int compared_ = 0;
};

TEST_P(TrajectoryTest, EqualsTheReferenceStepByStep) {
  const ModelConfig config = read_model_config(directory_);
  Dataset dataset = load_documents(directory_, config);
  const Json& weights = description_.at("class_weights");
  if (!weights.is_null()) {
    dataset.set_class_weights(weights.get<std::vector<double>>());
  }
  auto classifier =
      load_classifier(directory_, config, {}, GetParam().dtype).classifier;
  Trainer trainer(classifier, dataset, settings());
  const bool is_double = GetParam().dtype == at::kDouble;
  const std::string key = key_of(GetParam().dtype);
  const Json& steps = description_.at(key);
  ASSERT_EQ(steps.size(), 30U);
  for (const Json& expected : steps) {
    const StepRecord record = trainer.step();
    SCOPED_TRACE("step " + std::to_string(record.step));
    EXPECT_EQ(record.step, expected.at("step").get<std::int64_t>());
    EXPECT_NEAR(record.loss, expected.at("loss").get<double>(),
                is_double ? 1e-10 : 2e-6);
    EXPECT_NEAR(record.learning_rate, expected.at("lr").get<double>(), 1e-15);
    const double norm = expected.at("grad_norm").get<double>();
    EXPECT_NEAR(record.grad_norm, norm, is_double ? 1e-10 : 5e-6 * norm);
    expect_weights(named_parameters(*classifier),
                   key + ".step" + std::to_string(record.step) + ".");
  }
  expect_weights(trainer.optimizer().state(), key + ".");
  EXPECT_GE(compared_, is_double ? 4 * 40 : 40);
}

std::string run_name(const testing::TestParamInfo<Run>& tested) {
  return std::string(tested.param.name) + "_" + key_of(tested.param.dtype);
}

INSTANTIATE_TEST_SUITE_P(
    All, TrajectoryTest,
    testing::Values(Run{"class_weights", at::kDouble},
                    Run{"ragged_inside_window", at::kDouble},
                    Run{"short_last_window", at::kDouble},
                    Run{"short_last_window_clip4", at::kDouble},
                    Run{"class_weights", at::kFloat},
                    Run{"ragged_inside_window", at::kFloat}),
    run_name);

}  // namespace
}  // namespace longformer::test
