// SPDX-License-Identifier: MIT
#include "longformer/model/encoder_layer.h"

#include "all_tokens_block.h"
#include "first_tokens_block.h"

namespace longformer {
namespace {

/// A module without parameters of its own, for a level of a published name.
std::shared_ptr<torch::nn::Module> name_level(torch::nn::Module& parent,
                                              const std::string& name) {
  return parent.register_module(name, std::make_shared<torch::nn::Module>());
}

void add_linear(torch::nn::Module& parent, const std::string& name,
                std::int64_t in_size, std::int64_t out_size) {
  parent.register_module(name,
                         std::make_shared<LinearParameters>(in_size, out_size));
}

/// The published names `dense` and `LayerNorm` of a part that ends in a
/// residual connection.
void add_output(torch::nn::Module& parent, std::int64_t in_size,
                std::int64_t out_size) {
  add_linear(parent, "dense", in_size, out_size);
  parent.register_module("LayerNorm",
                         std::make_shared<LayerNormParameters>(out_size));
}

}  // namespace

EncoderLayer::EncoderLayer(const ModelConfig& config, std::int64_t index)
    : index_(static_cast<std::uint32_t>(index)),
      num_heads_(config.num_attention_heads),
      window_(config.attention_window[static_cast<std::size_t>(index)] / 2),
      epsilon_(config.layer_norm_eps),
      hidden_dropout_(config.hidden_dropout_prob),
      attention_dropout_(config.attention_probs_dropout_prob),
      activation_(config.hidden_act) {
  const std::int64_t size = config.hidden_size;
  const auto attention = name_level(*this, "attention");
  const auto self = name_level(*attention, "self");
  for (const char* name : {"query", "key", "value", "query_global",
                           "key_global", "value_global"}) {
    add_linear(*self, name, size, size);
  }
  add_output(*name_level(*attention, "output"), size, size);
  add_linear(*name_level(*this, "intermediate"), "dense", size,
             config.intermediate_size);
  add_output(*name_level(*this, "output"), config.intermediate_size, size);
}

at::Tensor EncoderLayer::forward(const at::Tensor& hidden_TE,
                                 const PackedLayout& layout,
                                 const ForwardSettings& settings) {
  return run_block(
      std::make_shared<AllTokensBlock>(layout, layer_settings(settings)),
      hidden_TE, parameters(), settings.failure);
}

at::Tensor EncoderLayer::forward_first_tokens(const at::Tensor& hidden_TE,
                                              const PackedLayout& layout,
                                              const ForwardSettings& settings) {
  return run_block(
      std::make_shared<FirstTokensBlock>(layout, layer_settings(settings)),
      hidden_TE, parameters(), settings.failure);
}

LayerSettings EncoderLayer::layer_settings(
    const ForwardSettings& settings) const {
  return {{num_heads_, window_, settings.dropout(attention_dropout_, index_),
           settings.attention_path},
          settings.dropout(hidden_dropout_, index_),
          epsilon_,
          activation_,
          settings.recomputation_in(index_)};
}

}  // namespace longformer
