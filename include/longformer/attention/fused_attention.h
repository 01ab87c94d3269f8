// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include "longformer/attention/attention.h"
#include "longformer/attention/instruction_set.h"

namespace longformer {

/// Whether fused_attention_* can compute these inputs: fp32 on the CPU, and
/// the global tokens of every document are its first ones.
bool fused_attention_serves(const at::Tensor& query_TE,
                            const PackedLayout& layout,
                            const AttentionSettings& settings);

/// local_attention_* for inputs that fused_attention_serves: scores exist only
/// as one tile of 64 queries and 64 keys, and the backward pass computes them
/// again. Any head size (multiples of the vector width are fastest), window
/// and row stride.
///
/// Results do not depend on the number of threads, bit for bit, nor on the
/// other documents of the batch. Between instruction sets they differ by
/// rounding.
///
/// Cost: O(T (window + G) E) time. Memory beyond the result, backward: a few
/// windows per thread and, with G global tokens in a document of length S,
/// S / 256 copies of their gradients (never more than S rows).
///
/// instruction_set: one that is_supported; for tests.
LocalAttention fused_attention_forward(
    const at::Tensor& query_TE, const at::Tensor& key_TE,
    const at::Tensor& value_TE, const PackedLayout& layout,
    const AttentionSettings& settings,
    InstructionSet instruction_set = best_instruction_set());

LocalAttentionGradients fused_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings,
    InstructionSet instruction_set = best_instruction_set());

}  // namespace longformer
