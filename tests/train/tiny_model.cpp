// SPDX-License-Identifier: MIT
#include "tiny_model.h"

#include <ATen/ATen.h>

#include "longformer/base/random.h"
#include "longformer/train/data_loading.h"

namespace longformer::test {

ModelConfig tiny_config(std::int64_t num_labels, std::int64_t num_layers) {
  ModelConfig config;
  config.vocab_size = 60;
  config.hidden_size = 32;
  config.num_hidden_layers = num_layers;
  config.num_attention_heads = 4;
  config.intermediate_size = 64;
  config.max_position_embeddings = 130;
  config.type_vocab_size = 1;
  config.layer_norm_eps = 1e-5;
  config.hidden_dropout_prob = 0;
  config.attention_probs_dropout_prob = 0;
  config.initializer_range = 0.2;
  config.pad_token_id = 1;
  config.attention_window.assign(static_cast<std::size_t>(num_layers), 16);
  config.problem_type = ProblemType::kSingleLabel;
  config.labels = default_labels(num_labels);
  return config;
}

std::shared_ptr<LongformerClassifier> tiny_classifier(const ModelConfig& config,
                                                      std::uint64_t seed,
                                                      at::ScalarType dtype) {
  auto classifier = std::make_shared<LongformerClassifier>(config);
  initialize_weights(*classifier, seed, /*head_only=*/false);
  if (dtype != at::kFloat) classifier->to(dtype);
  return classifier;
}

Dataset tiny_dataset(const std::vector<std::int64_t>& lengths,
                     const ModelConfig& config, std::uint64_t seed) {
  RandomStream random({static_cast<std::uint32_t>(seed), 77}, 0);
  DatasetBuilder builder({"memory"}, encode_options(config, 0));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto label = static_cast<std::int64_t>(i) % config.num_labels();
    EncodedDocument document;
    document.ids.push_back(0);
    while (static_cast<std::int64_t>(document.ids.size()) + 1 < lengths[i]) {
      document.ids.push_back(static_cast<std::int32_t>(
          10 + random.next_below(
                   static_cast<std::uint64_t>(config.vocab_size - 10))));
    }
    if (lengths[i] > 1) document.ids.push_back(2);
    if (lengths[i] > 2) {
      const std::size_t place =
          1 + random.next_below(static_cast<std::uint64_t>(lengths[i] - 2));
      document.ids[place] = static_cast<std::int32_t>(4 + label);
    }
    document.global_prefix = 1;
    builder.add(document, RawLabel("LABEL_" + std::to_string(label)),
                {0, 1, static_cast<std::int64_t>(i) + 1,
                 static_cast<std::int64_t>(i) + 1});
  }
  Dataset dataset = builder.finish();
  dataset.set_targets(LabelMap(ProblemType::kSingleLabel, config.labels));
  return dataset;
}

std::vector<at::Tensor> gradients_of(const LongformerClassifier& classifier) {
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& parameter : named_parameters(classifier)) {
    gradients.push_back(parameter.tensor.grad().clone());
  }
  return gradients;
}

double relative_difference(const std::vector<at::Tensor>& a,
                           const std::vector<at::Tensor>& b) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]).square().sum().to(at::kDouble).item<double>();
    size += a[i].square().sum().to(at::kDouble).item<double>();
  }
  return std::sqrt(difference / size);
}

std::vector<at::Tensor> weights_of(const LongformerClassifier& classifier) {
  std::vector<at::Tensor> weights;
  for (const NamedParameter& parameter : named_parameters(classifier)) {
    weights.push_back(parameter.tensor.detach().clone());
  }
  return weights;
}

bool bit_equal(const std::vector<at::Tensor>& a,
               const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!at::equal(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

}  // namespace longformer::test
