// SPDX-License-Identifier: MIT
#include "longformer/model/classifier.h"

#include <ATen/Functions.h>

#include "longformer/base/random.h"

namespace longformer {

LongformerClassifier::LongformerClassifier(ModelConfig config)
    : config_(std::move(config)) {
  const auto longformer =
      register_module("longformer", std::make_shared<torch::nn::Module>());
  embeddings_ = longformer->register_module(
      "embeddings", std::make_shared<Embeddings>(config_));
  const auto layers =
      longformer
          ->register_module("encoder", std::make_shared<torch::nn::Module>())
          ->register_module("layer", std::make_shared<torch::nn::Module>());
  for (std::int64_t i = 0; i < config_.num_hidden_layers; ++i) {
    layers_.push_back(layers->register_module(
        std::to_string(i), std::make_shared<EncoderLayer>(config_, i)));
  }
  head_ = register_module(
      config_.pooling == Pooling::kMean ? "mean_classifier" : "classifier",
      std::make_shared<ClassificationHead>(config_));
}

at::Device LongformerClassifier::device() const {
  return head_->parameters().front().device();
}

LongformerClassifier::Encoded LongformerClassifier::encode(
    const PackedInput& input, const ForwardSettings& settings) {
  // The dense reference, which the others are measured by, saves nothing.
  const bool is_first_token_enough =
      config_.pooling == Pooling::kCls &&
      settings.attention_path != AttentionPath::kDenseReference &&
      input.layout.all_first_tokens_are_global();
  at::Tensor hidden_TE = embeddings_->forward(input, settings);
  for (const auto& layer : layers_) {
    if (is_first_token_enough && layer == layers_.back()) {
      return {layer->forward_first_tokens(hidden_TE, input.layout, settings),
              input.layout.one_row_a_document()};
    }
    hidden_TE = layer->forward(hidden_TE, input.layout, settings);
  }
  return {std::move(hidden_TE), input.layout};
}

at::Tensor LongformerClassifier::logits(const PackedInput& input,
                                        const ForwardSettings& settings) {
  const at::NoGradGuard no_gradients;
  const Encoded encoded = encode(input, settings);
  return head_->logits(encoded.hidden, encoded.layout, settings);
}

ClassificationHead::Result LongformerClassifier::loss(
    const PackedInput& input, const Targets& targets,
    const LossSettings& loss_settings, double scale,
    const ForwardSettings& settings) {
  const Encoded encoded = encode(input, settings);
  return head_->loss(encoded.hidden, encoded.layout, targets, loss_settings,
                     scale, settings);
}

at::Tensor LongformerClassifier::anchor() const {
  at::Tensor output = run_anchor({}, embeddings_->parameters());
  for (const auto& layer : layers_) {
    output = run_anchor(output, layer->parameters());
  }
  return run_anchor(output, head_->parameters());
}

std::vector<at::Tensor> LongformerClassifier::hidden_states(
    const PackedInput& input, const ForwardSettings& settings) {
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> states{embeddings_->forward(input, settings)};
  for (const auto& layer : layers_) {
    states.push_back(layer->forward(states.back(), input.layout, settings));
  }
  return states;
}

std::vector<NamedParameter> named_parameters(
    const LongformerClassifier& classifier) {
  std::vector<NamedParameter> parameters;
  for (const auto& item : classifier.named_parameters()) {
    parameters.push_back({item.key(), item.value()});
  }
  return parameters;
}

bool is_head_parameter(std::string_view name) {
  return name.starts_with("classifier.") ||
         name.starts_with("mean_classifier.");
}

namespace {

/// FNV-1a: the stream of a parameter is chosen by its name, so that adding a
/// layer does not change the initial values of the others.
std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return hash;
}

void fill_normal(const at::Tensor& tensor, double deviation, std::uint64_t seed,
                 std::string_view name) {
  RandomStream stream(random_key(seed, RandomPurpose::kInitialWeights, 0),
                      stream_of(name));
  at::Tensor values = at::empty(tensor.sizes(), at::TensorOptions(at::kFloat));
  float* out = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = static_cast<float>(deviation * stream.next_normal());
  }
  tensor.copy_(values);
}

}  // namespace

void initialize_weights(LongformerClassifier& classifier, std::uint64_t seed,
                        bool head_only) {
  const at::NoGradGuard no_gradients;
  const ModelConfig& config = classifier.config();
  for (const auto& [name, tensor] : named_parameters(classifier)) {
    if (head_only && !is_head_parameter(name)) continue;
    if (tensor.dim() == 2) {
      fill_normal(tensor, config.initializer_range, seed, name);
      if (name.ends_with("word_embeddings.weight") ||
          name.ends_with("position_embeddings.weight")) {
        tensor[config.pad_token_id].zero_();
      }
    } else {
      tensor.fill_(name.ends_with("LayerNorm.weight") ? 1.0 : 0.0);
    }
  }
}

}  // namespace longformer
