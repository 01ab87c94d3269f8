// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "longformer/attention/dropout.h"
#include "longformer/attention/packed_layout.h"

namespace longformer {

/// How attention is computed. All give the same numbers up to rounding.
enum class AttentionPath {
  kAuto,            ///< The fastest that serves device, type and layout.
  kBlocked,         ///< Matrix products over blocks of queries.
  kDenseReference,  ///< One masked softmax over [S, S]; for tests.
};

/// What one layer's attention needs to know besides its tensors.
struct AttentionSettings {
  std::int64_t num_heads = 1;
  /// One side, in tokens: half of the published `attention_window`.
  std::int64_t window = 1;
  /// Probability, key and layer; not active in evaluation.
  Dropout dropout;
  AttentionPath path = AttentionPath::kAuto;
};

/// Attention of the local (not global) tokens: one softmax over the tokens at
/// most `window` positions away that are not global, and all global tokens.
///
/// Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1. Scores are
/// divided by sqrt(D) here; dropout acts on the normalised probabilities.
struct LocalAttention {
  at::Tensor output_TE;  ///< Rows of global tokens are 0.
  /// Natural logarithm of each local query's softmax denominator; the backward
  /// pass recomputes the probabilities from it. Rows of global tokens are 0.
  at::Tensor log_normaliser_TH;
};

/// query_TE, key_TE, value_TE: local projections, not scaled, any row stride;
///   fp32 or fp64; E = heads * head size.
/// Cost: O(T (window + G) E) time; memory beyond the result is bounded by a
/// constant plus O(S) for the longest document.
LocalAttention local_attention_forward(const at::Tensor& query_TE,
                                       const at::Tensor& key_TE,
                                       const at::Tensor& value_TE,
                                       const PackedLayout& layout,
                                       const AttentionSettings& settings);

struct LocalAttentionGradients {
  at::Tensor query_TE;  ///< Rows of global tokens are 0.
  at::Tensor key_TE;
  at::Tensor value_TE;
};

/// Gradients of local_attention_forward. Rows of `output_gradient_TE` that
/// belong to global tokens are ignored. `forward` is what the forward pass
/// returned (rows of global tokens in its output may hold anything).
LocalAttentionGradients local_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings);

}  // namespace longformer
