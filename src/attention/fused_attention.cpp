// SPDX-License-Identifier: MIT
#include "longformer/attention/fused_attention.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/Functions.h>

#include "fused_backward.h"
#include "fused_inputs.h"
#include "query_pieces.h"

namespace longformer {
namespace {

void require_supported(InstructionSet set) {
  if (!is_supported(set)) {
    throw std::invalid_argument(
        std::string("fused attention: this processor does not run ") +
        instruction_set_name(set) + " code");
  }
}

}  // namespace

bool fused_attention_serves(const at::Tensor& query_TE,
                            const PackedLayout& layout,
                            const AttentionSettings& settings) {
  return query_TE.device().is_cpu() && query_TE.scalar_type() == at::kFloat &&
         layout.all_globals_are_prefixes() &&
         // Nearly certain dropout has no finite scale.
         settings.dropout.threshold() < 65536;
}

LocalAttention fused_attention_forward(const at::Tensor& query_TE,
                                       const at::Tensor& key_TE,
                                       const at::Tensor& value_TE,
                                       const PackedLayout& layout,
                                       const AttentionSettings& settings,
                                       InstructionSet instruction_set) {
  require_supported(instruction_set);
  const WindowKernel& kernel = window_kernel(instruction_set);
  const FusedInputs inputs(query_TE, key_TE, value_TE, layout, settings);
  LocalAttention result;
  result.output_TE = at::empty(query_TE.sizes(), query_TE.options());
  result.log_normaliser_TH =
      at::empty({query_TE.size(0), inputs.num_heads()}, query_TE.options());
  clear_global_rows(layout, result.output_TE);
  clear_global_rows(layout, result.log_normaliser_TH);

  // A query's result does not depend on its neighbours, so that the tiles of a
  // head may be cut anywhere.
  const QueryPieces tiles(layout, inputs.num_heads(),
                          [](std::int64_t) { return 1; });
  const std::vector<std::int64_t> cuts =
      tiles.split(inputs.num_runs(tiles.count()));
  const auto runs = static_cast<std::int64_t>(cuts.size()) - 1;
  if (runs == 0) return result;
  const at::Tensor scratch = at::empty(
      {runs, kernel.forward_scratch(inputs.longest_document(), inputs.window(),
                                    inputs.head_size())},
      query_TE.options());
  for_each_run(runs, [&](std::int64_t run) {
    const std::int64_t end = cuts[static_cast<std::size_t>(run) + 1];
    for (std::int64_t n = cuts[static_cast<std::size_t>(run)]; n < end;) {
      const QueryPiece tile = tiles[n];
      const std::int64_t count =
          std::min(end, tiles.first_number(tile.document, tile.head + 1)) - n;
      const std::int64_t d = tile.document;
      kernel.forward(
          inputs.head(d, tile.head),
          {inputs.mutable_rows(result.output_TE, d, tile.head,
                               inputs.head_size()),
           inputs.mutable_rows(result.log_normaliser_TH, d, tile.head, 1)},
          tile.first_tile, tile.first_tile + count,
          scratch.data_ptr<float>() + run * scratch.stride(0));
      n += count;
    }
  });
  return result;
}

LocalAttentionGradients fused_attention_backward(
    const at::Tensor& output_gradient_TE, const at::Tensor& query_TE,
    const at::Tensor& key_TE, const at::Tensor& value_TE,
    const LocalAttention& forward, const PackedLayout& layout,
    const AttentionSettings& settings, InstructionSet instruction_set) {
  require_supported(instruction_set);
  const FusedInputs inputs(query_TE, key_TE, value_TE, layout, settings);
  LocalAttentionGradients gradients{
      at::empty(query_TE.sizes(), query_TE.options()),
      at::empty(key_TE.sizes(), key_TE.options()),
      at::empty(value_TE.sizes(), value_TE.options())};
  clear_global_rows(layout, gradients.query_TE);
  FusedBackward(window_kernel(instruction_set), inputs, layout,
                {with_adjacent_columns(output_gradient_TE),
                 with_adjacent_columns(forward.output_TE),
                 with_adjacent_columns(forward.log_normaliser_TH)},
                gradients)
      .compute();
  return gradients;
}

}  // namespace longformer
