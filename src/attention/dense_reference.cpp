// SPDX-License-Identifier: MIT
#include "longformer/attention/dense_reference.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

namespace longformer {
namespace {

at::Tensor split_heads(const at::Tensor& rows_SE, std::int64_t heads) {
  return rows_SE.unflatten(1, {heads, -1}).transpose(0, 1);
}

/// Factors [H, Q, S] straight from the definition, one number at a time.
at::Tensor scalar_dropout(const AttentionSettings& settings, DropoutSite site,
                          std::uint32_t document,
                          const std::vector<std::int64_t>& queries,
                          std::int64_t length, const at::Tensor& like) {
  const Dropout& dropout = settings.dropout;
  const auto num_queries = static_cast<std::int64_t>(queries.size());
  at::Tensor factors = at::zeros({settings.num_heads, num_queries, length},
                                 at::TensorOptions(at::kDouble));
  auto out = factors.accessor<double, 3>();
  for (std::int64_t h = 0; h < settings.num_heads; ++h) {
    for (std::int64_t q = 0; q < num_queries; ++q) {
      for (std::int64_t j = 0; j < length; ++j) {
        const PhiloxBlock counter = dropout_counter(
            dropout.layer, site, static_cast<std::uint32_t>(h), document,
            static_cast<std::uint32_t>(queries[static_cast<std::size_t>(q)]),
            static_cast<std::uint32_t>(j / 8));
        if (dropout_keeps(dropout.key, counter, static_cast<unsigned>(j % 8),
                          dropout.threshold())) {
          out[h][q][j] = dropout.scale();
        }
      }
    }
  }
  return factors.to(like.options());
}

std::vector<char> global_flags(const PackedLayout& layout, std::int64_t b) {
  std::vector<char> flags(static_cast<std::size_t>(layout.length(b)), 0);
  for (const std::int32_t position : layout.globals(b).positions) {
    flags[static_cast<std::size_t>(position)] = 1;
  }
  return flags;
}

/// [S, S]: true where query i may not see key j; [S]: queries that are local.
at::Tensor forbidden(const std::vector<char>& is_global, std::int64_t window) {
  const auto length = static_cast<std::int64_t>(is_global.size());
  at::Tensor mask = at::ones({length, length}, at::TensorOptions(at::kBool));
  auto out = mask.accessor<bool, 2>();
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      out[i][j] = !(is_global[static_cast<std::size_t>(j)] != 0 ||
                    std::abs(i - j) <= window);
    }
  }
  return mask;
}

}  // namespace

at::Tensor dense_local_attention(const at::Tensor& query_TE,
                                 const at::Tensor& key_TE,
                                 const at::Tensor& value_TE,
                                 const PackedLayout& layout,
                                 const AttentionSettings& settings) {
  std::vector<at::Tensor> outputs;
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    const auto rows = [&](const at::Tensor& x) {
      return split_heads(x.narrow(0, layout.begin(b), layout.length(b)),
                         settings.num_heads);
    };
    const at::Tensor query = rows(query_TE);
    const std::vector<char> is_global = global_flags(layout, b);
    const at::Tensor mask =
        forbidden(is_global, settings.window).to(query.device());
    const at::Tensor scores = at::matmul(query, rows(key_TE).transpose(1, 2)) /
                              std::sqrt(static_cast<double>(query.size(2)));
    at::Tensor probabilities = at::softmax(
        scores.masked_fill(mask, -std::numeric_limits<double>::infinity()), 2);
    if (settings.dropout.active()) {
      std::vector<std::int64_t> queries(is_global.size());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        queries[i] = static_cast<std::int64_t>(i);
      }
      probabilities =
          probabilities * scalar_dropout(settings, DropoutSite::kLocalAttention,
                                         layout.document_index(b), queries,
                                         layout.length(b), probabilities);
    }
    at::Tensor is_local =
        at::ones({layout.length(b), 1}, query.options().device(at::kCPU));
    for (std::size_t i = 0; i < is_global.size(); ++i) {
      if (is_global[i] != 0) is_local[static_cast<std::int64_t>(i)] = 0;
    }
    outputs.push_back(
        at::matmul(probabilities, rows(value_TE)).transpose(0, 1).flatten(1) *
        is_local.to(query.device()));
  }
  return at::cat(outputs);
}

at::Tensor dense_global_rows(const GlobalRowsInputs& inputs,
                             const at::Tensor& key_bias_E,
                             const PackedLayout& layout,
                             const AttentionSettings& settings) {
  const at::Tensor key_TE =
      at::linear(inputs.hidden_TE, inputs.key_weight_EE, key_bias_E);
  const at::Tensor value_TE =
      at::linear(inputs.hidden_TE, inputs.value_weight_EE, inputs.value_bias_E);
  std::vector<at::Tensor> outputs{inputs.query_NE.narrow(0, 0, 0)};
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    const PackedLayout::Globals globals = layout.globals(b);
    if (globals.count() == 0) continue;
    const auto rows = [&](const at::Tensor& x) {
      return split_heads(x.narrow(0, layout.begin(b), layout.length(b)),
                         settings.num_heads);
    };
    const at::Tensor query = split_heads(
        inputs.query_NE.narrow(0, layout.global_begin(b), globals.count()),
        settings.num_heads);
    at::Tensor probabilities =
        at::softmax(at::matmul(query, rows(key_TE).transpose(1, 2)) /
                        std::sqrt(static_cast<double>(query.size(2))),
                    2);
    if (settings.dropout.active()) {
      probabilities =
          probabilities *
          scalar_dropout(settings, DropoutSite::kGlobalAttention,
                         layout.document_index(b),
                         {globals.positions.begin(), globals.positions.end()},
                         layout.length(b), probabilities);
    }
    outputs.push_back(
        at::matmul(probabilities, rows(value_TE)).transpose(0, 1).flatten(1));
  }
  return at::cat(outputs);
}

LocalAttentionGradients dense_local_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const PackedLayout& layout, const AttentionSettings& settings) {
  const at::AutoGradMode with_gradients(true);
  const std::vector<at::Tensor> inputs{query_TE.detach().requires_grad_(),
                                       key_TE.detach().requires_grad_(),
                                       value_TE.detach().requires_grad_()};
  const at::Tensor output =
      dense_local_attention(inputs[0], inputs[1], inputs[2], layout, settings);
  const auto gradients =
      torch::autograd::grad({output}, inputs, {output_gradient_TE});
  return {gradients[0], gradients[1], gradients[2]};
}

GlobalRowsGradients dense_global_rows_backward(
    const at::Tensor& output_gradient_NE, const GlobalRowsInputs& inputs,
    const PackedLayout& layout, const AttentionSettings& settings,
    at::Tensor& hidden_gradient_TE) {
  if (layout.num_global_tokens() == 0) {
    return {at::zeros_like(inputs.query_NE),
            at::zeros_like(inputs.key_weight_EE),
            at::zeros_like(inputs.value_weight_EE),
            at::zeros_like(inputs.value_bias_E)};
  }
  const at::AutoGradMode with_gradients(true);
  const GlobalRowsInputs leaves{
      inputs.hidden_TE.detach().requires_grad_(),
      inputs.query_NE.detach().requires_grad_(),
      inputs.key_weight_EE.detach().requires_grad_(),
      inputs.value_weight_EE.detach().requires_grad_(),
      inputs.value_bias_E.detach().requires_grad_()};
  const at::Tensor output = dense_global_rows(leaves, {}, layout, settings);
  const auto gradients = torch::autograd::grad(
      {output},
      {leaves.hidden_TE, leaves.query_NE, leaves.key_weight_EE,
       leaves.value_weight_EE, leaves.value_bias_E},
      {output_gradient_NE});
  hidden_gradient_TE.add_(gradients[0]);
  return {gradients[1], gradients[2], gradients[3], gradients[4]};
}

}  // namespace longformer
