// SPDX-License-Identifier: MIT
#include "longformer/attention/attention.h"

#include <ATen/Functions.h>

#include "longformer/attention/dense_reference.h"
#include "longformer/attention/fused_attention.h"
#include "longformer/base/error.h"

#include "blocked_attention.h"

namespace longformer {
namespace {

void check(const at::Tensor& tensor, const at::Tensor& like,
           const PackedLayout& layout, const AttentionSettings& settings) {
  if (tensor.dim() != 2 || tensor.size(0) != layout.num_tokens() ||
      tensor.sizes() != like.sizes() ||
      tensor.size(1) % settings.num_heads != 0) {
    throw ShapeError(
        "local attention: query, key and value must be [T, E] with T = " +
        std::to_string(layout.num_tokens()) + " and E a multiple of " +
        std::to_string(settings.num_heads) + " heads");
  }
}

}  // namespace

LocalAttention local_attention_forward(const at::Tensor& query_TE,
                                       const at::Tensor& key_TE,
                                       const at::Tensor& value_TE,
                                       const PackedLayout& layout,
                                       const AttentionSettings& settings) {
  check(query_TE, query_TE, layout, settings);
  check(key_TE, query_TE, layout, settings);
  check(value_TE, query_TE, layout, settings);
  switch (settings.path) {
    case AttentionPath::kDenseReference:
      return {
          dense_local_attention(query_TE, key_TE, value_TE, layout, settings),
          at::zeros({query_TE.size(0), settings.num_heads},
                    query_TE.options())};
    case AttentionPath::kAuto:
      if (fused_attention_serves(query_TE, layout, settings)) {
        return fused_attention_forward(query_TE, key_TE, value_TE, layout,
                                       settings);
      }
      break;
    case AttentionPath::kBlocked:
      break;
  }
  return blocked_attention_forward(query_TE, key_TE, value_TE, layout,
                                   settings);
}

LocalAttentionGradients local_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings) {
  switch (settings.path) {
    case AttentionPath::kDenseReference:
      return dense_local_attention_backward(output_gradient_TE, query_TE,
                                            key_TE, value_TE, layout, settings);
    case AttentionPath::kAuto:
      if (fused_attention_serves(query_TE, layout, settings)) {
        return fused_attention_backward(output_gradient_TE, query_TE, key_TE,
                                        value_TE, forward, layout, settings);
      }
      break;
    case AttentionPath::kBlocked:
      break;
  }
  return blocked_attention_backward(output_gradient_TE, query_TE, key_TE,
                                    value_TE, forward, layout, settings);
}

}  // namespace longformer
