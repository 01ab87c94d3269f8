// SPDX-License-Identifier: MIT
#include "first_tokens_block.h"

#include <ATen/Functions.h>

namespace longformer {
namespace {

/// The same documents with their first token as the only global one.
PackedLayout with_global_first_tokens(const PackedLayout& layout) {
  const auto documents = static_cast<std::size_t>(layout.num_documents());
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> global_offsets{0};
  std::vector<std::int32_t> index;
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    offsets.push_back(layout.begin(b + 1));
    global_offsets.push_back(b + 1);
    index.push_back(static_cast<std::int32_t>(layout.document_index(b)));
  }
  return {std::move(offsets), std::vector<std::int32_t>(documents, 0),
          std::move(global_offsets), std::move(index), layout.device()};
}

}  // namespace

FirstTokensBlock::FirstTokensBlock(const PackedLayout& layout,
                                   const LayerSettings& settings)
    : LayerBlock(layout.one_row_a_document(), settings),
      layout_(with_global_first_tokens(layout)) {}

void FirstTokensBlock::attend(const at::Tensor& hidden_TE, at::TensorList p,
                              LayerTensors& values) const {
  values[kAttention] = attend_globally(hidden_TE, p, layout_, values);
}

at::Tensor FirstTokensBlock::residual(const at::Tensor& hidden_TE) const {
  return hidden_TE.index_select(0, layout_.first_rows_B());
}

at::Tensor FirstTokensBlock::attention_backward(
    const at::Tensor& attention_gradient_BE, at::Tensor residual_gradient_BE,
    const at::Tensor& hidden_TE, at::TensorList p, const LayerTensors& values,
    LayerTensors& gradients) const {
  at::Tensor hidden_gradient_TE = at::zeros_like(hidden_TE);
  hidden_gradient_TE.index_copy_(0, layout_.first_rows_B(),
                                 residual_gradient_BE);
  global_backward(attention_gradient_BE, hidden_TE, p, layout_, values,
                  gradients, hidden_gradient_TE);
  for (std::size_t i = kQueryWeight; i <= kValueBias; ++i) {
    gradients[i] = at::zeros_like(p[i]);
  }
  return hidden_gradient_TE;
}

}  // namespace longformer
