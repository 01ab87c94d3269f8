// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "longformer/attention/attention.h"
#include "longformer/attention/packed_layout.h"
#include "longformer/config/memory_options.h"
#include "longformer/config/model_config.h"
#include "longformer/model/block.h"

#include "layer_values.h"

namespace longformer {

struct LayerSettings {
  AttentionSettings attention;
  Dropout hidden_dropout;
  double epsilon;
  Activation activation;
  Recomputation recomputation;
};

/// An encoder layer: attention, which a derived class decides for which rows,
/// then for these rows alone dense, residual, LayerNorm, feed-forward,
/// residual, LayerNorm. Rows are tokens: [R, E].
class LayerBlock : public Block {
 public:
  /// rows: the rows behind the attention, which key dropout.
  LayerBlock(PackedLayout rows, LayerSettings settings)
      : rows_(std::move(rows)), settings_(settings) {}

  at::Tensor forward(const at::Tensor& hidden_TE, at::TensorList p,
                     std::vector<at::Tensor>* saved) override;
  Gradients backward(const at::Tensor& output_gradient_RE,
                     const at::Tensor& hidden_TE, at::TensorList p,
                     const std::vector<at::Tensor>& kept) override;

 protected:
  /// Fills in what stands before kAttentionSum.
  virtual void attend(const at::Tensor& hidden_TE, at::TensorList p,
                      LayerTensors& values) const = 0;
  /// The rows of the layer's input that are added to what attention gives.
  virtual at::Tensor residual(const at::Tensor& hidden_TE) const = 0;
  /// Gradient of the layer's input, of which `residual_gradient_RE` is a part
  /// (it may be overwritten), and of the parameters of attention.
  virtual at::Tensor attention_backward(const at::Tensor& attention_gradient_RE,
                                        at::Tensor residual_gradient_RE,
                                        const at::Tensor& hidden_TE,
                                        at::TensorList p,
                                        const LayerTensors& values,
                                        LayerTensors& gradients) const = 0;

  /// Attention of the N global tokens of `layout`; returns [N, E].
  at::Tensor attend_globally(const at::Tensor& hidden_TE, at::TensorList p,
                             const PackedLayout& layout,
                             LayerTensors& values) const;
  /// Its gradients; those of the hidden states are added to
  /// `hidden_gradient_TE`.
  void global_backward(const at::Tensor& attention_gradient_NE,
                       const at::Tensor& hidden_TE, at::TensorList p,
                       const PackedLayout& layout, const LayerTensors& values,
                       LayerTensors& gradients,
                       at::Tensor& hidden_gradient_TE) const;

  const LayerSettings& settings() const { return settings_; }

 private:
  at::Tensor compute(const at::Tensor& hidden_TE, at::TensorList p,
                     bool is_kept, LayerTensors& values) const;
  void compute_again(const at::Tensor& hidden_TE, at::TensorList p,
                     LayerTensors& values) const;
  void normalise_attention(at::TensorList p, LayerTensors& values) const;
  void add_residual(at::Tensor& branch_RE, const at::Tensor& residual_RE,
                    DropoutSite site) const;
  at::Tensor dropped(const at::Tensor& gradient_RE, DropoutSite site) const;
  at::Tensor feed_forward_backward(const at::Tensor& output_gradient_RE,
                                   at::TensorList p, const LayerTensors& values,
                                   LayerTensors& gradients) const;

  PackedLayout rows_;
  LayerSettings settings_;
};

}  // namespace longformer
