// SPDX-License-Identifier: MIT
//
// The model holds only tensors that its loss uses, so that gradients can be
// exchanged between processes without searching for unused ones.
#include <gtest/gtest.h>

#include "longformer/train/trainer.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

struct Tested {
  Pooling pooling;
  bool has_globals;
};

/// Without this, the bytes of the object would be part of the test's name.
void PrintTo(const Tested& tested, std::ostream* out) {
  *out << (tested.has_globals ? "with globals" : "without");
}

class UnusedParametersTest : public testing::TestWithParam<Tested> {};

Dataset documents(const ModelConfig& config, bool has_globals) {
  if (has_globals) return tiny_dataset({20, 45, 3}, config);
  EncodeOptions options;
  options.max_length = config.usable_length();
  options.vocab_size = config.vocab_size;
  options.max_position_embeddings = config.max_position_embeddings;
  DatasetBuilder builder({"memory"}, options);
  for (std::int64_t i = 0; i < 3; ++i) {
    EncodedDocument document;
    document.ids.assign(static_cast<std::size_t>(10 + 20 * i), 9);
    document.global_prefix = 0;
    builder.add(document, RawLabel("LABEL_" + std::to_string(i % 2)),
                {0, 1, i + 1, i + 1});
  }
  Dataset dataset = builder.finish();
  dataset.set_targets(LabelMap(ProblemType::kSingleLabel, config.labels));
  return dataset;
}

// transformers issue 6256: two tensors of a pooler never got a gradient.
TEST_P(UnusedParametersTest, EveryParameterHasAGradientAfterABackwardPass) {
  ModelConfig config = tiny_config();
  config.pooling = GetParam().pooling;
  config.hidden_dropout_prob = 0.1;
  const Dataset data = documents(config, GetParam().has_globals);
  const auto classifier = tiny_classifier(config);
  TrainerSettings settings;
  settings.batch_size = 3;
  Trainer trainer(classifier, data, settings);
  trainer.accumulate_gradients(0);
  for (const NamedParameter& p : named_parameters(*classifier)) {
    EXPECT_TRUE(p.tensor.grad().defined()) << p.name;
    EXPECT_EQ(p.name.find("pooler"), std::string::npos) << p.name;
  }
}

TEST_P(UnusedParametersTest, TrainingGoesOnWithAllOfThem) {
  ModelConfig config = tiny_config();
  config.pooling = GetParam().pooling;
  const Dataset data = documents(config, GetParam().has_globals);
  TrainerSettings settings;
  settings.batch_size = 2;
  settings.learning_rate = 1e-3;
  Trainer trainer(tiny_classifier(config), data, settings);
  for (int step = 0; step < 5; ++step) EXPECT_GT(trainer.step().grad_norm, 0);
}

std::string tested_name(const testing::TestParamInfo<Tested>& tested) {
  return std::string(tested.param.pooling == Pooling::kMean ? "Mean" : "Cls") +
         (tested.param.has_globals ? "WithGlobals" : "WithoutGlobals");
}

INSTANTIATE_TEST_SUITE_P(Models, UnusedParametersTest,
                         testing::Values(Tested{Pooling::kCls, true},
                                         Tested{Pooling::kCls, false},
                                         Tested{Pooling::kMean, true},
                                         Tested{Pooling::kMean, false}),
                         tested_name);

}  // namespace
}  // namespace longformer::test
