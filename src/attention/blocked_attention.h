// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/attention/attention.h"

namespace longformer {

/// The portable path of local_attention_*: matrix products over blocks of
/// queries, each against its window of keys and the global columns. Any
/// device, fp32 and fp64, prefix and scattered global tokens. The workspace is
/// bounded by a constant (and one row of scores).
LocalAttention blocked_attention_forward(const at::Tensor& query_TE,
                                         const at::Tensor& key_TE,
                                         const at::Tensor& value_TE,
                                         const PackedLayout& layout,
                                         const AttentionSettings& settings);

LocalAttentionGradients blocked_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings);

}  // namespace longformer
