// SPDX-License-Identifier: MIT
#include "all_tokens_block.h"

#include <ATen/Functions.h>

namespace longformer {

/// Attention output with the rows of the global tokens in place.
void AllTokensBlock::attend(const at::Tensor& hidden_TE, at::TensorList p,
                            LayerTensors& values) const {
  values[kQuery] = at::linear(hidden_TE, p[kQueryWeight], p[kQueryBias]);
  values[kKey] = at::linear(hidden_TE, p[kKeyWeight], p[kKeyBias]);
  values[kValue] = at::linear(hidden_TE, p[kValueWeight], p[kValueBias]);
  LocalAttention local =
      local_attention_forward(values[kQuery], values[kKey], values[kValue],
                              layout_, settings().attention);
  values[kAttention] = std::move(local.output_TE);
  values[kNormaliser] = std::move(local.log_normaliser_TH);
  if (layout_.num_global_tokens() == 0) return;
  values[kAttention].index_copy_(
      0, layout_.global_rows_N(),
      attend_globally(hidden_TE, p, layout_, values));
}

at::Tensor AllTokensBlock::attention_backward(
    const at::Tensor& attention_gradient_TE, at::Tensor hidden_gradient_TE,
    const at::Tensor& hidden_TE, at::TensorList p, const LayerTensors& values,
    LayerTensors& gradients) const {
  if (layout_.num_global_tokens() == 0) {
    for (std::size_t i = kGlobalQueryWeight; i <= kGlobalValueBias; ++i) {
      gradients[i] = at::zeros_like(p[i]);
    }
  } else {
    global_backward(
        attention_gradient_TE.index_select(0, layout_.global_rows_N()),
        hidden_TE, p, layout_, values, gradients, hidden_gradient_TE);
  }
  local_backward(attention_gradient_TE, hidden_TE, p, values, gradients,
                 hidden_gradient_TE);
  return hidden_gradient_TE;
}

void AllTokensBlock::local_backward(const at::Tensor& attention_gradient_TE,
                                    const at::Tensor& hidden_TE,
                                    at::TensorList p,
                                    const LayerTensors& values,
                                    LayerTensors& gradients,
                                    at::Tensor& hidden_gradient_TE) const {
  const LocalAttentionGradients local = local_attention_backward(
      attention_gradient_TE, values[kQuery], values[kKey], values[kValue],
      {values[kAttention], values[kNormaliser]}, layout_, settings().attention);
  parameter_gradients(local.query_TE, hidden_TE, gradients, kQueryWeight);
  parameter_gradients(local.key_TE, hidden_TE, gradients, kKeyWeight);
  parameter_gradients(local.value_TE, hidden_TE, gradients, kValueWeight);
  gradients[kKeyBias] = at::zeros_like(p[kKeyBias]);
  hidden_gradient_TE.addmm_(local.query_TE, p[kQueryWeight]);
  hidden_gradient_TE.addmm_(local.key_TE, p[kKeyWeight]);
  hidden_gradient_TE.addmm_(local.value_TE, p[kValueWeight]);
}

}  // namespace longformer
