// SPDX-License-Identifier: MIT
#pragma once

#include "layer_block.h"

namespace longformer {

/// The last encoder layer where only the first token of each document counts
/// and attends globally: [T, E] to [B, E]. The local projections, and all other
/// rows, influence nothing, so their gradients are exactly 0.
///
/// Requires: layout.all_first_tokens_are_global().
class FirstTokensBlock : public LayerBlock {
 public:
  FirstTokensBlock(const PackedLayout& layout, const LayerSettings& settings);

 protected:
  void attend(const at::Tensor& hidden_TE, at::TensorList p,
              LayerTensors& values) const override;
  at::Tensor residual(const at::Tensor& hidden_TE) const override;
  at::Tensor attention_backward(const at::Tensor& attention_gradient_BE,
                                at::Tensor residual_gradient_BE,
                                const at::Tensor& hidden_TE, at::TensorList p,
                                const LayerTensors& values,
                                LayerTensors& gradients) const override;

 private:
  PackedLayout layout_;  ///< With the first tokens as the only global ones.
};

}  // namespace longformer
