// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/model_config.h"
#include "longformer/model/packed_input.h"
#include "longformer/model/parameters.h"

namespace longformer {

struct LayerSettings;

/// One encoder layer: attention, residual and LayerNorm, feed-forward,
/// residual and LayerNorm (post-norm; Beltagy et al. 2020 with the layer of
/// Liu et al. 2019).
///
/// Gradients of `key.bias` and `key_global.bias` are exactly 0: a constant
/// added to all keys of a query does not change its softmax.
class EncoderLayer : public torch::nn::Module {
 public:
  EncoderLayer(const ModelConfig& config, std::int64_t index);

  /// hidden_TE to hidden_TE.
  at::Tensor forward(const at::Tensor& hidden_TE, const PackedLayout& layout,
                     const ForwardSettings& settings);

  /// The output of each document's first token alone: hidden_TE to [B, E]. The
  /// same numbers as forward() up to rounding, without computing the others.
  /// Requires: layout.all_first_tokens_are_global().
  at::Tensor forward_first_tokens(const at::Tensor& hidden_TE,
                                  const PackedLayout& layout,
                                  const ForwardSettings& settings);

 private:
  LayerSettings layer_settings(const ForwardSettings& settings) const;

  std::uint32_t index_;
  std::int64_t num_heads_;
  std::int64_t window_;  ///< One side.
  double epsilon_;
  double hidden_dropout_;
  double attention_dropout_;
  Activation activation_;
};

}  // namespace longformer
