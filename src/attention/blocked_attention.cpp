// SPDX-License-Identifier: MIT
#include "blocked_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <ATen/Functions.h>

#include "longformer/attention/dropout_mask.h"

namespace longformer {
namespace {

/// Scores of all heads that exist at one time, in elements (16 MB in fp32).
constexpr std::int64_t kMaximumScores = std::int64_t{1} << 22;

/// One block of queries and the keys it may see, as positions in a document.
struct Block {
  std::int64_t query_begin, query_end;
  std::int64_t key_begin, key_end;
  std::int64_t num_queries() const { return query_end - query_begin; }
  std::int64_t num_keys() const { return key_end - key_begin; }
};

/// One document: views of the batch and what its blocks share.
struct Document {
  Document(const PackedLayout& layout, std::int64_t b,
           const AttentionSettings& attention)
      : settings(attention),
        begin(layout.begin(b)),
        length(layout.length(b)),
        index(layout.document_index(b)),
        globals(layout.globals(b)),
        first_local(globals.is_prefix ? globals.count() : 0) {
    global_rows = layout.global_rows_N().narrow(0, layout.global_begin(b),
                                                globals.count());
    if (!globals.is_prefix) {
      is_global = at::zeros(
          {length}, at::TensorOptions(at::kBool).device(layout.device()));
      is_global.index_fill_(0, global_rows - begin, true);
    }
  }

  /// rows_TE of this document from position `from` to `to`, as [H, n, D].
  at::Tensor heads(const at::Tensor& rows_TE, std::int64_t from,
                   std::int64_t to) const {
    return split(rows_TE.narrow(0, begin + from, to - from));
  }
  /// The global tokens' rows as [H, G, D].
  at::Tensor global_heads(const at::Tensor& rows_TE) const {
    return split(globals.is_prefix ? rows_TE.narrow(0, begin, globals.count())
                                   : rows_TE.index_select(0, global_rows));
  }
  at::Tensor split(const at::Tensor& rows) const {
    return rows.unflatten(1, {settings.num_heads, -1}).transpose(0, 1);
  }

  /// Calls body(block) for all blocks of queries.
  template <class Body>
  void for_each_block(Body&& body) const {
    const std::int64_t rows = rows_per_block();
    const std::int64_t w = settings.window;
    for (std::int64_t q = first_local; q < length; q += rows) {
      const std::int64_t end = std::min(q + rows, length);
      body(Block{q, end, std::max(first_local, q - w),
                 std::min(length, end + w)});
    }
  }

  const AttentionSettings& settings;
  std::int64_t begin;
  std::int64_t length;
  std::uint32_t index;
  PackedLayout::Globals globals;
  std::int64_t first_local;  ///< Position of the first query computed.
  at::Tensor global_rows;    ///< [G], rows of the batch.
  at::Tensor is_global;      ///< [S], only when globals are scattered.

 private:
  std::int64_t rows_per_block() const {
    const std::int64_t w = settings.window;
    std::int64_t rows = std::clamp<std::int64_t>(w, 32, 512);
    while (rows > 1 &&
           settings.num_heads * rows * (globals.count() + rows + 2 * w) >
               kMaximumScores) {
      rows /= 2;
    }
    return rows;
  }
};

/// [queries, keys]: true where the query may not see the key through the
/// window, because it is too far away or is seen as a global column.
at::Tensor outside_window(const Document& document, const Block& block,
                          at::Device device) {
  const auto options = at::TensorOptions(at::kLong).device(device);
  const at::Tensor i =
      at::arange(block.query_begin, block.query_end, options).unsqueeze(1);
  const at::Tensor j =
      at::arange(block.key_begin, block.key_end, options).unsqueeze(0);
  at::Tensor outside = (i - j).abs_().gt(document.settings.window);
  if (document.is_global.defined()) {
    outside.logical_or_(
        document.is_global.narrow(0, block.key_begin, block.num_keys()));
  }
  return outside;
}

/// Scores [H, n, G + K] of a block, global columns first; -inf outside.
at::Tensor block_scores(const Document& document, const Block& block,
                        const at::Tensor& query_HND, const at::Tensor& key_TE) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query_HND.size(2)));
  at::Tensor window = at::bmm(
      query_HND,
      document.heads(key_TE, block.key_begin, block.key_end).transpose(1, 2));
  window.mul_(scale);
  window.masked_fill_(outside_window(document, block, key_TE.device()),
                      -std::numeric_limits<double>::infinity());
  if (document.globals.count() == 0) return window;
  at::Tensor columns =
      at::bmm(query_HND, document.global_heads(key_TE).transpose(1, 2));
  columns.mul_(scale);
  return at::cat({columns, window}, 2);
}

/// Dropout factors of a block in the layout of block_scores.
at::Tensor block_dropout(const Document& document, const Block& block,
                         const at::Tensor& like) {
  std::vector<std::int32_t> queries(
      static_cast<std::size_t>(block.num_queries()));
  std::iota(queries.begin(), queries.end(),
            static_cast<std::int32_t>(block.query_begin));
  std::vector<std::int32_t> keys(document.globals.positions.begin(),
                                 document.globals.positions.end());
  for (std::int64_t j = block.key_begin; j < block.key_end; ++j) {
    keys.push_back(static_cast<std::int32_t>(j));
  }
  return attention_dropout_mask_HQK(
      document.settings.dropout, DropoutSite::kLocalAttention,
      document.settings.num_heads, document.index, queries, keys, like);
}

void forward_block(const Document& document, const Block& block,
                   const at::Tensor& query_TE, const at::Tensor& key_TE,
                   const at::Tensor& value_TE, LocalAttention& result) {
  const std::int64_t columns = document.globals.count();
  at::Tensor probabilities = block_scores(
      document, block,
      document.heads(query_TE, block.query_begin, block.query_end), key_TE);
  const at::Tensor normaliser = at::logsumexp(probabilities, 2);  // [H, n]
  probabilities.sub_(normaliser.unsqueeze(2)).exp_();
  if (document.settings.dropout.active()) {
    probabilities.mul_(block_dropout(document, block, probabilities));
  }
  at::Tensor output =
      at::bmm(probabilities.narrow(2, columns, block.num_keys()),
              document.heads(value_TE, block.key_begin, block.key_end));
  if (columns > 0) {
    output.baddbmm_(probabilities.narrow(2, 0, columns),
                    document.global_heads(value_TE));
  }
  document.heads(result.output_TE, block.query_begin, block.query_end)
      .copy_(output);
  result.log_normaliser_TH
      .narrow(0, document.begin + block.query_begin, block.num_queries())
      .copy_(normaliser.t());
}

struct BackwardInputs {
  const at::Tensor& output_gradient_TE;  // Rows of global tokens are 0.
  const at::Tensor& delta_TH;            // rowsum(dO * O) per head.
  const at::Tensor& query_TE;
  const at::Tensor& key_TE;
  const at::Tensor& value_TE;
  const at::Tensor& log_normaliser_TH;
};

/// Adds [H, n, D] to rows [from, from + n) of gradient_TE.
void add_rows(const Document& document, at::Tensor& gradient_TE,
              std::int64_t from, const at::Tensor& rows_HND) {
  document.heads(gradient_TE, from, from + rows_HND.size(1)).add_(rows_HND);
}

/// Adds [H, G, D] to the rows of the global tokens.
void add_global_rows(const Document& document, at::Tensor& gradient_TE,
                     const at::Tensor& rows_HGD) {
  gradient_TE.index_add_(0, document.global_rows,
                         rows_HGD.transpose(0, 1).flatten(1));
}

void backward_block(const Document& document, const Block& block,
                    const BackwardInputs& in,
                    LocalAttentionGradients& gradients) {
  const std::int64_t columns = document.globals.count();
  const std::int64_t first = document.begin + block.query_begin;
  const at::Tensor query =
      document.heads(in.query_TE, block.query_begin, block.query_end);
  const at::Tensor output_gradient =
      document.heads(in.output_gradient_TE, block.query_begin, block.query_end);
  const auto per_row = [&](const at::Tensor& values_TH) {
    return values_TH.narrow(0, first, block.num_queries()).t().unsqueeze(2);
  };
  at::Tensor probabilities = block_scores(document, block, query, in.key_TE);
  probabilities.sub_(per_row(in.log_normaliser_TH)).exp_();

  const at::Tensor value =
      document.heads(in.value_TE, block.key_begin, block.key_end);
  at::Tensor gradient = at::bmm(output_gradient, value.transpose(1, 2));
  if (columns > 0) {
    gradient =
        at::cat({at::bmm(output_gradient,
                         document.global_heads(in.value_TE).transpose(1, 2)),
                 gradient},
                2);
  }
  at::Tensor kept = probabilities;
  if (document.settings.dropout.active()) {
    const at::Tensor factors = block_dropout(document, block, probabilities);
    kept = probabilities * factors;
    gradient.mul_(factors);
  }
  gradient.sub_(per_row(in.delta_TH)).mul_(probabilities);
  gradient.mul_(1.0 / std::sqrt(static_cast<double>(query.size(2))));

  const auto window_part = [&](const at::Tensor& x) {
    return x.narrow(2, columns, block.num_keys());
  };
  at::Tensor query_gradient =
      at::bmm(window_part(gradient),
              document.heads(in.key_TE, block.key_begin, block.key_end));
  add_rows(document, gradients.key_TE, block.key_begin,
           at::bmm(window_part(gradient).transpose(1, 2), query));
  add_rows(document, gradients.value_TE, block.key_begin,
           at::bmm(window_part(kept).transpose(1, 2), output_gradient));
  if (columns > 0) {
    const at::Tensor column_gradient = gradient.narrow(2, 0, columns);
    query_gradient.baddbmm_(column_gradient, document.global_heads(in.key_TE));
    add_global_rows(document, gradients.key_TE,
                    at::bmm(column_gradient.transpose(1, 2), query));
    add_global_rows(
        document, gradients.value_TE,
        at::bmm(kept.narrow(2, 0, columns).transpose(1, 2), output_gradient));
  }
  document.heads(gradients.query_TE, block.query_begin, block.query_end)
      .copy_(query_gradient);
}

}  // namespace

LocalAttention blocked_attention_forward(const at::Tensor& query_TE,
                                         const at::Tensor& key_TE,
                                         const at::Tensor& value_TE,
                                         const PackedLayout& layout,
                                         const AttentionSettings& settings) {
  LocalAttention result;
  result.output_TE = at::zeros(query_TE.sizes(), query_TE.options());
  result.log_normaliser_TH =
      at::zeros({query_TE.size(0), settings.num_heads}, query_TE.options());
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    const Document document(layout, b, settings);
    document.for_each_block([&](const Block& block) {
      forward_block(document, block, query_TE, key_TE, value_TE, result);
    });
  }
  if (!layout.all_globals_are_prefixes()) {
    result.output_TE.index_fill_(0, layout.global_rows_N(), 0);
    result.log_normaliser_TH.index_fill_(0, layout.global_rows_N(), 0);
  }
  return result;
}

LocalAttentionGradients blocked_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings) {
  at::Tensor output_gradient = output_gradient_TE;
  if (!layout.all_globals_are_prefixes()) {
    output_gradient = output_gradient.index_fill(0, layout.global_rows_N(), 0);
  }
  const at::Tensor delta = at::mul(output_gradient, forward.output_TE)
                               .unflatten(1, {settings.num_heads, -1})
                               .sum(2);
  const BackwardInputs inputs{output_gradient, delta,
                              query_TE,        key_TE,
                              value_TE,        forward.log_normaliser_TH};
  LocalAttentionGradients gradients{
      at::zeros(query_TE.sizes(), query_TE.options()),
      at::zeros(key_TE.sizes(), key_TE.options()),
      at::zeros(value_TE.sizes(), value_TE.options())};
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    const Document document(layout, b, settings);
    document.for_each_block([&](const Block& block) {
      backward_block(document, block, inputs, gradients);
    });
  }
  if (!layout.all_globals_are_prefixes()) {
    gradients.query_TE.index_fill_(0, layout.global_rows_N(), 0);
  }
  return gradients;
}

}  // namespace longformer
