// SPDX-License-Identifier: MIT
#include "longformer/model/embeddings.h"

#include <ATen/Functions.h>

#include "longformer/attention/dropout_mask.h"

namespace longformer {
namespace {

class EmbeddingsBlock : public Block {
 public:
  EmbeddingsBlock(PackedInput input, Dropout dropout, double epsilon,
                  std::int64_t padding_index)
      : input_(std::move(input)),
        dropout_(dropout),
        epsilon_(epsilon),
        padding_index_(padding_index) {}

  at::Tensor forward(const at::Tensor&, at::TensorList parameters,
                     std::vector<at::Tensor>* saved) override {
    at::Tensor sum_TE = parameters[0].index_select(0, input_.token_ids_T);
    sum_TE.add_(parameters[1].index_select(0, input_.position_ids_T));
    if (input_.token_type_ids_T.defined()) {
      sum_TE.add_(parameters[2].index_select(0, input_.token_type_ids_T));
    } else {
      sum_TE.add_(parameters[2][0]);
    }
    auto [hidden_TE, mean, inverse_deviation] = at::native_layer_norm(
        sum_TE, {sum_TE.size(1)}, parameters[3], parameters[4], epsilon_);
    apply_hidden_dropout(hidden_TE, input_.layout, dropout_,
                         DropoutSite::kEmbedding);
    if (saved != nullptr) *saved = {sum_TE, mean, inverse_deviation};
    return hidden_TE;
  }

  Gradients backward(const at::Tensor& output_gradient, const at::Tensor&,
                     at::TensorList parameters,
                     const std::vector<at::Tensor>& saved) override {
    at::Tensor gradient_TE = output_gradient;
    if (dropout_.active()) {
      gradient_TE = output_gradient.clone(at::MemoryFormat::Contiguous);
      apply_hidden_dropout(gradient_TE, input_.layout, dropout_,
                           DropoutSite::kEmbedding);
    }
    auto [sum_gradient, scale_gradient, shift_gradient] =
        at::native_layer_norm_backward(
            gradient_TE, saved[0], {saved[0].size(1)}, saved[1], saved[2],
            parameters[3], parameters[4], {true, true, true});
    const auto table = [&](std::size_t i, const at::Tensor& ids,
                           std::int64_t padding_index) {
      return at::embedding_dense_backward(sum_gradient, ids,
                                          parameters[i].size(0), padding_index,
                                          /*scale_grad_by_freq=*/false);
    };
    at::Tensor type_gradient;
    if (input_.token_type_ids_T.defined()) {
      type_gradient = table(2, input_.token_type_ids_T, -1);
    } else {
      type_gradient = at::zeros_like(parameters[2]);
      type_gradient[0].copy_(sum_gradient.sum(0));
    }
    return {{},
            {table(0, input_.token_ids_T, padding_index_),
             table(1, input_.position_ids_T, padding_index_), type_gradient,
             scale_gradient, shift_gradient}};
  }

 private:
  PackedInput input_;
  Dropout dropout_;
  double epsilon_;
  std::int64_t padding_index_;
};

}  // namespace

Embeddings::Embeddings(const ModelConfig& config)
    : padding_index_(config.pad_token_id),
      epsilon_(config.layer_norm_eps),
      dropout_probability_(config.hidden_dropout_prob) {
  const std::int64_t size = config.hidden_size;
  word_ = register_module(
      "word_embeddings",
      std::make_shared<EmbeddingParameters>(config.vocab_size, size));
  position_ = register_module("position_embeddings",
                              std::make_shared<EmbeddingParameters>(
                                  config.max_position_embeddings, size));
  token_type_ = register_module(
      "token_type_embeddings",
      std::make_shared<EmbeddingParameters>(config.type_vocab_size, size));
  norm_ =
      register_module("LayerNorm", std::make_shared<LayerNormParameters>(size));
}

at::Tensor Embeddings::forward(const PackedInput& input,
                               const ForwardSettings& settings) {
  return run_block(std::make_shared<EmbeddingsBlock>(
                       input, settings.dropout(dropout_probability_, 0),
                       epsilon_, padding_index_),
                   {},
                   {word_->weight, position_->weight, token_type_->weight,
                    norm_->weight, norm_->bias},
                   settings.failure);
}

}  // namespace longformer
