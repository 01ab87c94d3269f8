// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/model_config.h"
#include "longformer/model/packed_input.h"
#include "longformer/model/parameters.h"

namespace longformer {

/// Sum of word, position and token-type embeddings, LayerNorm, dropout.
/// The padding row of the word and of the position table gets no gradient.
class Embeddings : public torch::nn::Module {
 public:
  explicit Embeddings(const ModelConfig& config);

  /// Returns hidden_TE.
  at::Tensor forward(const PackedInput& input, const ForwardSettings& settings);

 private:
  std::int64_t padding_index_;
  double epsilon_;
  double dropout_probability_;
  std::shared_ptr<EmbeddingParameters> word_;
  std::shared_ptr<EmbeddingParameters> position_;
  std::shared_ptr<EmbeddingParameters> token_type_;
  std::shared_ptr<LayerNormParameters> norm_;
};

}  // namespace longformer
