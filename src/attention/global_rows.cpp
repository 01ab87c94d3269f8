// SPDX-License-Identifier: MIT
#include "longformer/attention/global_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ATen/Functions.h>

#include "longformer/attention/dense_reference.h"
#include "longformer/attention/dropout_mask.h"

namespace longformer {
namespace {

/// Probabilities of all heads that exist at one time, in elements.
constexpr std::int64_t kMaximumScores = std::int64_t{1} << 22;

/// A weight [E, E] by heads of its outputs: [H, D, E].
at::Tensor weight_heads(const at::Tensor& weight_EE, std::int64_t heads) {
  return weight_EE.unflatten(0, {heads, -1});
}

/// Rows [n, E] by heads: [H, n, D].
at::Tensor row_heads(const at::Tensor& rows, std::int64_t heads) {
  return rows.unflatten(1, {heads, -1}).transpose(0, 1);
}

/// Some consecutive global tokens of one document.
struct Part {
  std::int64_t document;
  std::int64_t first_row;  ///< Among the N global tokens of the batch.
  std::int64_t count;
  at::Tensor hidden_SE;  ///< Of the whole document.
};

class Parts {
 public:
  Parts(const PackedLayout& layout, const AttentionSettings& settings)
      : layout_(layout), settings_(settings) {}

  template <class Body>
  void for_each(const at::Tensor& hidden_TE, Body&& body) const {
    for (std::int64_t b = 0; b < layout_.num_documents(); ++b) {
      const std::int64_t total = layout_.globals(b).count();
      const std::int64_t most = std::max<std::int64_t>(
          1, kMaximumScores / (settings_.num_heads * layout_.length(b)));
      for (std::int64_t g = 0; g < total; g += most) {
        body(Part{b, layout_.global_begin(b) + g, std::min(most, total - g),
                  hidden_TE.narrow(0, layout_.begin(b), layout_.length(b))});
      }
    }
  }

  /// Dropout factors [H, count, S].
  at::Tensor factors(const Part& part, const at::Tensor& like) const {
    const std::int64_t first =
        part.first_row - layout_.global_begin(part.document);
    std::vector<std::int32_t> keys(
        static_cast<std::size_t>(layout_.length(part.document)));
    std::iota(keys.begin(), keys.end(), 0);
    return attention_dropout_mask_HQK(
        settings_.dropout, DropoutSite::kGlobalAttention, settings_.num_heads,
        layout_.document_index(part.document),
        layout_.globals(part.document)
            .positions.subspan(static_cast<std::size_t>(first),
                               static_cast<std::size_t>(part.count)),
        keys, like);
  }

 private:
  const PackedLayout& layout_;
  const AttentionSettings& settings_;
};

/// W_k^T q / sqrt(D) for a part's queries: [H, n, E].
at::Tensor keys_of_queries(const at::Tensor& query_HnD,
                           const GlobalRowsInputs& inputs, std::int64_t heads) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query_HnD.size(2)));
  return at::bmm(query_HnD, weight_heads(inputs.key_weight_EE, heads))
      .mul_(scale);
}

/// [H, n, E] x [S, E] -> [H, n, S] as one matrix product.
at::Tensor times_hidden(const at::Tensor& rows_HnE,
                        const at::Tensor& hidden_SE) {
  return at::mm(rows_HnE.flatten(0, 1), hidden_SE.t())
      .unflatten(0, {rows_HnE.size(0), rows_HnE.size(1)});
}

/// [H, n, S] x [S, E] -> [H, n, E].
at::Tensor sum_hidden(const at::Tensor& weights_HnS,
                      const at::Tensor& hidden_SE) {
  return at::mm(weights_HnS.flatten(0, 1), hidden_SE)
      .unflatten(0, {weights_HnS.size(0), weights_HnS.size(1)});
}

}  // namespace

GlobalRows global_rows_forward(const GlobalRowsInputs& inputs,
                               const PackedLayout& layout,
                               const AttentionSettings& settings) {
  const std::int64_t heads = settings.num_heads;
  GlobalRows result;
  result.log_normaliser_NH =
      at::empty({inputs.query_NE.size(0), heads}, inputs.query_NE.options());
  if (settings.path == AttentionPath::kDenseReference) {
    result.output_NE = dense_global_rows(inputs, {}, layout, settings);
    return result;
  }
  result.output_NE =
      at::empty(inputs.query_NE.sizes(), inputs.query_NE.options());
  const at::Tensor value_weight =
      weight_heads(inputs.value_weight_EE, heads);  // [H, D, E]
  const at::Tensor value_bias =
      inputs.value_bias_E.unflatten(0, {heads, 1, -1});  // [H, 1, D]
  const Parts parts(layout, settings);
  parts.for_each(inputs.hidden_TE, [&](const Part& part) {
    const at::Tensor query =
        row_heads(inputs.query_NE.narrow(0, part.first_row, part.count), heads);
    at::Tensor probabilities =
        times_hidden(keys_of_queries(query, inputs, heads), part.hidden_SE);
    const at::Tensor normaliser = at::logsumexp(probabilities, 2);  // [H, n]
    probabilities.sub_(normaliser.unsqueeze(2)).exp_();
    at::Tensor output;
    if (settings.dropout.active()) {
      probabilities.mul_(parts.factors(part, probabilities));
    }
    output =
        at::baddbmm(at::mul(value_bias, probabilities.sum(2, /*keepdim=*/true)),
                    sum_hidden(probabilities, part.hidden_SE),
                    value_weight.transpose(1, 2));
    row_heads(result.output_NE.narrow(0, part.first_row, part.count), heads)
        .copy_(output);
    result.log_normaliser_NH.narrow(0, part.first_row, part.count)
        .copy_(normaliser.t());
  });
  return result;
}

namespace {

/// What the parts of the backward pass add to, by heads.
struct Accumulators {
  at::Tensor key_weight_HDE;
  at::Tensor value_weight_HDE;
  at::Tensor value_bias_HD;
};

void backward_part(const Part& part, const Parts& parts,
                   const at::Tensor& output_gradient_NE,
                   const GlobalRowsInputs& inputs, const GlobalRows& forward,
                   const AttentionSettings& settings, Accumulators& sums,
                   at::Tensor& query_gradient_NE,
                   at::Tensor hidden_gradient_SE) {
  const std::int64_t heads = settings.num_heads;
  const auto part_rows = [&](const at::Tensor& x) {
    return x.narrow(0, part.first_row, part.count);
  };
  const at::Tensor query = row_heads(part_rows(inputs.query_NE), heads);
  const at::Tensor gradient = row_heads(part_rows(output_gradient_NE), heads);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
  const at::Tensor projected = keys_of_queries(query, inputs, heads);
  at::Tensor probabilities = times_hidden(projected, part.hidden_SE);
  probabilities.sub_(part_rows(forward.log_normaliser_NH).t().unsqueeze(2))
      .exp_();
  at::Tensor kept = probabilities;
  at::Tensor factors;
  if (settings.dropout.active()) {
    factors = parts.factors(part, probabilities);
    kept = probabilities * factors;
  }
  const at::Tensor kept_sum = kept.sum(2, /*keepdim=*/true);  // [H, n, 1]
  sums.value_weight_HDE.baddbmm_(gradient.transpose(1, 2),
                                 sum_hidden(kept, part.hidden_SE));
  sums.value_bias_HD.add_(at::mul(gradient, kept_sum).sum(1));

  // Gradient of y = sum_t kept_t x_t and of sum_t kept_t.
  const at::Tensor weighted_gradient =
      at::bmm(gradient, weight_heads(inputs.value_weight_EE, heads));
  const at::Tensor sum_gradient =
      at::mul(gradient, inputs.value_bias_E.unflatten(0, {heads, 1, -1}))
          .sum(2, /*keepdim=*/true);
  at::Tensor score_gradient =
      times_hidden(weighted_gradient, part.hidden_SE).add_(sum_gradient);
  if (factors.defined()) score_gradient.mul_(factors);
  const at::Tensor delta =
      at::mul(score_gradient, probabilities).sum(2, /*keepdim=*/true);
  score_gradient.sub_(delta).mul_(probabilities);

  hidden_gradient_SE.addmm_(kept.flatten(0, 1).t(),
                            weighted_gradient.flatten(0, 1));
  hidden_gradient_SE.addmm_(score_gradient.flatten(0, 1).t(),
                            projected.flatten(0, 1));
  const at::Tensor projected_gradient =
      sum_hidden(score_gradient, part.hidden_SE).mul_(scale);
  row_heads(part_rows(query_gradient_NE), heads)
      .copy_(
          at::bmm(projected_gradient,
                  weight_heads(inputs.key_weight_EE, heads).transpose(1, 2)));
  sums.key_weight_HDE.baddbmm_(query.transpose(1, 2), projected_gradient);
}

}  // namespace

GlobalRowsGradients global_rows_backward(const at::Tensor& output_gradient_NE,
                                         const GlobalRowsInputs& inputs,
                                         const GlobalRows& forward,
                                         const PackedLayout& layout,
                                         const AttentionSettings& settings,
                                         at::Tensor& hidden_gradient_TE) {
  if (settings.path == AttentionPath::kDenseReference) {
    return dense_global_rows_backward(output_gradient_NE, inputs, layout,
                                      settings, hidden_gradient_TE);
  }
  GlobalRowsGradients gradients{
      at::empty(inputs.query_NE.sizes(), inputs.query_NE.options()),
      at::zeros(inputs.key_weight_EE.sizes(), inputs.key_weight_EE.options()),
      at::zeros(inputs.value_weight_EE.sizes(),
                inputs.value_weight_EE.options()),
      at::zeros(inputs.value_bias_E.sizes(), inputs.value_bias_E.options())};
  Accumulators sums{
      weight_heads(gradients.key_weight_EE, settings.num_heads),
      weight_heads(gradients.value_weight_EE, settings.num_heads),
      gradients.value_bias_E.unflatten(0, {settings.num_heads, -1})};
  const Parts parts(layout, settings);
  parts.for_each(inputs.hidden_TE, [&](const Part& part) {
    backward_part(part, parts, output_gradient_NE, inputs, forward, settings,
                  sums, gradients.query_NE,
                  hidden_gradient_TE.narrow(0, layout.begin(part.document),
                                            layout.length(part.document)));
  });
  return gradients;
}

}  // namespace longformer
