// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include "longformer/attention/attention.h"

namespace longformer {

/// Attention of the global tokens: each sees all tokens of its document
/// through separate projections (Beltagy et al. 2020, section 3.1, "Linear
/// projections for global attention").
///
/// Keys and values are never materialised for all tokens. With query q of one
/// head, q . (W_k x + b_k) = (W_k^T q) . x + const, and the constant cancels
/// in the softmax; the value projection moves behind the weighted sum,
/// sum_t P_t (W_v x_t + b_v) = W_v (sum_t P_t x_t) + b_v sum_t P_t, where the
/// last sum is not 1 under dropout.
struct GlobalRowsInputs {
  at::Tensor hidden_TE;        ///< Input of the layer.
  at::Tensor query_NE;         ///< query_global of the N global tokens.
  at::Tensor key_weight_EE;    ///< key_global.weight
  at::Tensor value_weight_EE;  ///< value_global.weight
  at::Tensor value_bias_E;     ///< value_global.bias
};

struct GlobalRows {
  at::Tensor output_NE;
  at::Tensor log_normaliser_NH;  ///< Without the constant of the key bias.
};

/// Cost: O(sum over documents of G S H E) time, O(H S) memory beyond the
/// result.
GlobalRows global_rows_forward(const GlobalRowsInputs& inputs,
                               const PackedLayout& layout,
                               const AttentionSettings& settings);

struct GlobalRowsGradients {
  at::Tensor query_NE;
  at::Tensor key_weight_EE;
  at::Tensor value_weight_EE;
  at::Tensor value_bias_E;
};

/// Gradients of global_rows_forward; the gradient of the hidden states is
/// added to `hidden_gradient_TE` in place.
GlobalRowsGradients global_rows_backward(const at::Tensor& output_gradient_NE,
                                         const GlobalRowsInputs& inputs,
                                         const GlobalRows& forward,
                                         const PackedLayout& layout,
                                         const AttentionSettings& settings,
                                         at::Tensor& hidden_gradient_TE);

}  // namespace longformer
