// SPDX-License-Identifier: MIT
#include "layer_block.h"

#include <ATen/Functions.h>

#include "longformer/attention/dropout_mask.h"
#include "longformer/attention/global_rows.h"

#include "activation.h"

namespace longformer {
namespace {

GlobalRowsInputs global_inputs(const at::Tensor& hidden_TE, at::TensorList p,
                               const LayerTensors& values) {
  return {hidden_TE, values[kGlobalQuery], p[kGlobalKeyWeight],
          p[kGlobalValueWeight], p[kGlobalValueBias]};
}

void forget_attention(LayerTensors& values) {
  for (const LayerValue value : {kQuery, kKey, kValue, kAttention}) {
    values[value].reset();
  }
}

}  // namespace

at::Tensor LayerBlock::forward(const at::Tensor& hidden_TE, at::TensorList p,
                               std::vector<at::Tensor>* saved) {
  const bool is_kept =
      saved != nullptr && settings_.recomputation != Recomputation::kFull;
  LayerTensors values(kNumLayerValues);
  at::Tensor output_RE = compute(hidden_TE, p, is_kept, values);
  if (!is_kept) return output_RE;
  if (settings_.recomputation == Recomputation::kSelective) {
    values[kAttentionNorm].reset();
    values[kActivated].reset();
  }
  *saved = std::move(values);
  return output_RE;
}

/// The layer's output. `is_kept`: with everything that the backward pass needs
/// in `values`; otherwise with as little as possible at a time.
at::Tensor LayerBlock::compute(const at::Tensor& hidden_TE, at::TensorList p,
                               bool is_kept, LayerTensors& values) const {
  attend(hidden_TE, p, values);
  values[kAttentionSum] = at::linear(
      values[kAttention], p[kAttentionDenseWeight], p[kAttentionDenseBias]);
  if (!is_kept) forget_attention(values);
  add_residual(values[kAttentionSum], residual(hidden_TE),
               DropoutSite::kAttentionOutput);
  normalise_attention(p, values);
  if (!is_kept) values[kAttentionSum].reset();
  values[kExpanded] =
      at::linear(values[kAttentionNorm], p[kExpandWeight], p[kExpandBias]);
  values[kActivated] =
      activation_forward(settings_.activation, values[kExpanded]);
  if (!is_kept) values[kExpanded].reset();
  values[kOutputSum] =
      at::linear(values[kActivated], p[kContractWeight], p[kContractBias]);
  if (!is_kept) values[kActivated].reset();
  add_residual(values[kOutputSum], values[kAttentionNorm],
               DropoutSite::kFeedForwardOutput);
  at::Tensor output_RE;
  std::tie(output_RE, values[kOutputMean], values[kOutputDeviation]) =
      at::native_layer_norm(values[kOutputSum], {hidden_TE.size(1)},
                            p[kOutputNormWeight], p[kOutputNormBias],
                            settings_.epsilon);
  return output_RE;
}

void LayerBlock::normalise_attention(at::TensorList p,
                                     LayerTensors& values) const {
  const at::Tensor& sum = values[kAttentionSum];
  std::tie(values[kAttentionNorm], values[kAttentionMean],
           values[kAttentionDeviation]) =
      at::native_layer_norm(sum, {sum.size(1)}, p[kAttentionNormWeight],
                            p[kAttentionNormBias], settings_.epsilon);
}

/// Fills in what forward() did not keep: the same numbers bit for bit, since
/// dropout is a function of its place.
void LayerBlock::compute_again(const at::Tensor& hidden_TE, at::TensorList p,
                               LayerTensors& values) const {
  switch (settings_.recomputation) {
    case Recomputation::kNone:
      return;
    case Recomputation::kSelective:
      normalise_attention(p, values);
      values[kActivated] =
          activation_forward(settings_.activation, values[kExpanded]);
      return;
    case Recomputation::kFull:
      values.resize(kNumLayerValues);
      compute(hidden_TE, p, /*is_kept=*/true, values);
      return;
  }
}

Block::Gradients LayerBlock::backward(const at::Tensor& output_gradient_RE,
                                      const at::Tensor& hidden_TE,
                                      at::TensorList p,
                                      const std::vector<at::Tensor>& kept) {
  LayerTensors values = kept;
  compute_again(hidden_TE, p, values);
  LayerTensors gradients(kNumLayerParameters);
  at::Tensor norm_gradient_RE =
      feed_forward_backward(output_gradient_RE, p, values, gradients);
  at::Tensor residual_gradient_RE;
  std::tie(residual_gradient_RE, gradients[kAttentionNormWeight],
           gradients[kAttentionNormBias]) =
      at::native_layer_norm_backward(
          norm_gradient_RE, values[kAttentionSum], {hidden_TE.size(1)},
          values[kAttentionMean], values[kAttentionDeviation],
          p[kAttentionNormWeight], p[kAttentionNormBias], {true, true, true});
  norm_gradient_RE.reset();
  const at::Tensor attention_gradient_RE = linear_backward(
      dropped(residual_gradient_RE, DropoutSite::kAttentionOutput),
      values[kAttention], p, gradients, kAttentionDenseWeight);
  at::Tensor hidden_gradient_TE =
      attention_backward(attention_gradient_RE, std::move(residual_gradient_RE),
                         hidden_TE, p, values, gradients);
  return {std::move(hidden_gradient_TE), std::move(gradients)};
}

/// Returns the gradient of the first LayerNorm's output.
at::Tensor LayerBlock::feed_forward_backward(
    const at::Tensor& output_gradient_RE, at::TensorList p,
    const LayerTensors& values, LayerTensors& gradients) const {
  at::Tensor sum_gradient_RE;
  std::tie(sum_gradient_RE, gradients[kOutputNormWeight],
           gradients[kOutputNormBias]) =
      at::native_layer_norm_backward(
          output_gradient_RE, values[kOutputSum], {values[kOutputSum].size(1)},
          values[kOutputMean], values[kOutputDeviation], p[kOutputNormWeight],
          p[kOutputNormBias], {true, true, true});
  at::Tensor activated_gradient =
      linear_backward(dropped(sum_gradient_RE, DropoutSite::kFeedForwardOutput),
                      values[kActivated], p, gradients, kContractWeight);
  const at::Tensor expanded_gradient = activation_backward(
      settings_.activation, activated_gradient, values[kExpanded]);
  activated_gradient.reset();
  parameter_gradients(expanded_gradient, values[kAttentionNorm], gradients,
                      kExpandWeight);
  return sum_gradient_RE.addmm_(expanded_gradient, p[kExpandWeight]);
}

/// branch = dropout(branch) + residual, in place.
void LayerBlock::add_residual(at::Tensor& branch_RE,
                              const at::Tensor& residual_RE,
                              DropoutSite site) const {
  apply_hidden_dropout(branch_RE, rows_, settings_.hidden_dropout, site);
  branch_RE.add_(residual_RE);
}

/// Gradient of the branch below a dropout; `gradient_RE` stays as it is.
at::Tensor LayerBlock::dropped(const at::Tensor& gradient_RE,
                               DropoutSite site) const {
  if (!settings_.hidden_dropout.active()) return gradient_RE;
  at::Tensor copy = gradient_RE.clone(at::MemoryFormat::Contiguous);
  apply_hidden_dropout(copy, rows_, settings_.hidden_dropout, site);
  return copy;
}

at::Tensor LayerBlock::attend_globally(const at::Tensor& hidden_TE,
                                       at::TensorList p,
                                       const PackedLayout& layout,
                                       LayerTensors& values) const {
  values[kGlobalQuery] =
      at::linear(hidden_TE.index_select(0, layout.global_rows_N()),
                 p[kGlobalQueryWeight], p[kGlobalQueryBias]);
  GlobalRows rows = global_rows_forward(global_inputs(hidden_TE, p, values),
                                        layout, settings_.attention);
  values[kGlobalNormaliser] = std::move(rows.log_normaliser_NH);
  return std::move(rows.output_NE);
}

void LayerBlock::global_backward(const at::Tensor& attention_gradient_NE,
                                 const at::Tensor& hidden_TE, at::TensorList p,
                                 const PackedLayout& layout,
                                 const LayerTensors& values,
                                 LayerTensors& gradients,
                                 at::Tensor& hidden_gradient_TE) const {
  const at::Tensor& rows = layout.global_rows_N();
  GlobalRowsGradients global = global_rows_backward(
      attention_gradient_NE, global_inputs(hidden_TE, p, values),
      {{}, values[kGlobalNormaliser]}, layout, settings_.attention,
      hidden_gradient_TE);
  hidden_gradient_TE.index_add_(
      0, rows,
      linear_backward(global.query_NE, hidden_TE.index_select(0, rows), p,
                      gradients, kGlobalQueryWeight));
  gradients[kGlobalKeyWeight] = std::move(global.key_weight_EE);
  gradients[kGlobalKeyBias] = at::zeros_like(p[kGlobalKeyBias]);
  gradients[kGlobalValueWeight] = std::move(global.value_weight_EE);
  gradients[kGlobalValueBias] = std::move(global.value_bias_E);
}

}  // namespace longformer
