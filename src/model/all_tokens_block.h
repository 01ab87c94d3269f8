// SPDX-License-Identifier: MIT
#pragma once

#include "layer_block.h"

namespace longformer {

/// An encoder layer for all tokens of a batch.
class AllTokensBlock : public LayerBlock {
 public:
  AllTokensBlock(PackedLayout layout, const LayerSettings& settings)
      : LayerBlock(layout, settings), layout_(std::move(layout)) {}

 protected:
  void attend(const at::Tensor& hidden_TE, at::TensorList p,
              LayerTensors& values) const override;
  at::Tensor residual(const at::Tensor& hidden_TE) const override {
    return hidden_TE;
  }
  at::Tensor attention_backward(const at::Tensor& attention_gradient_TE,
                                at::Tensor hidden_gradient_TE,
                                const at::Tensor& hidden_TE, at::TensorList p,
                                const LayerTensors& values,
                                LayerTensors& gradients) const override;

 private:
  void local_backward(const at::Tensor& attention_gradient_TE,
                      const at::Tensor& hidden_TE, at::TensorList p,
                      const LayerTensors& values, LayerTensors& gradients,
                      at::Tensor& hidden_gradient_TE) const;

  PackedLayout layout_;
};

}  // namespace longformer
