// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/attention/attention.h"
#include "longformer/attention/global_rows.h"

namespace longformer {

/// The same attention written as plainly as possible: one masked softmax over
/// all [S, S] pairs of a document, from ordinary differentiable operations.
/// The oracle of the tests; quadratic in the document's length.
///
/// Scattered and prefix globals, fp32 and fp64, dropout by the definition in
/// dropout.h. Rows of global tokens are 0.
at::Tensor dense_local_attention(const at::Tensor& query_TE,
                                 const at::Tensor& key_TE,
                                 const at::Tensor& value_TE,
                                 const PackedLayout& layout,
                                 const AttentionSettings& settings);

/// Rows of the global tokens, with keys and values projected for all tokens.
/// `key_bias_E` takes part here (its effect cancels in the softmax).
at::Tensor dense_global_rows(const GlobalRowsInputs& inputs,
                             const at::Tensor& key_bias_E,
                             const PackedLayout& layout,
                             const AttentionSettings& settings);

/// Gradients of the two functions above by automatic differentiation, with the
/// signatures of the product's own backward passes.
LocalAttentionGradients dense_local_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const PackedLayout& layout, const AttentionSettings& settings);

GlobalRowsGradients dense_global_rows_backward(
    const at::Tensor& output_gradient_NE, const GlobalRowsInputs& inputs,
    const PackedLayout& layout, const AttentionSettings& settings,
    at::Tensor& hidden_gradient_TE);

}  // namespace longformer
