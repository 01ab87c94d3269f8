// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "longformer/attention/dropout.h"
#include "longformer/attention/packed_layout.h"

namespace longformer {

/// Multiplies values_TE in place by 0 or `dropout.scale()`, drawn for every
/// (token, channel). The backward pass is the same call on the gradient.
/// Does nothing when dropout is not active. fp32 or fp64, contiguous.
void apply_hidden_dropout(at::Tensor& values_TE, const PackedLayout& layout,
                          const Dropout& dropout, DropoutSite site);

/// Factors (0 or scale) for attention probabilities of one document:
/// [H, queries, keys] for the given positions within the document.
/// The result has the type and device of `like`.
at::Tensor attention_dropout_mask_HQK(const Dropout& dropout, DropoutSite site,
                                      std::int64_t num_heads,
                                      std::uint32_t document,
                                      std::span<const std::int32_t> queries,
                                      std::span<const std::int32_t> keys,
                                      const at::Tensor& like);

}  // namespace longformer
