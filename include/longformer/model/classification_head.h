// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/model_config.h"
#include "longformer/model/losses.h"
#include "longformer/model/packed_input.h"
#include "longformer/model/parameters.h"

namespace longformer {

/// Pooling (first token, or mean over the document), dropout, dense, tanh,
/// dropout, output projection; and the loss.
class ClassificationHead : public torch::nn::Module {
 public:
  explicit ClassificationHead(const ModelConfig& config);

  /// hidden_TE to logits_BL; no gradient graph.
  at::Tensor logits(const at::Tensor& hidden_TE, const PackedLayout& layout,
                    const ForwardSettings& settings);

  struct Result {
    at::Tensor loss;       ///< [], scale * sum of the weighted losses.
    at::Tensor logits_BL;  ///< Detached.
  };
  /// `scale`: number of ranks / sum of the weights of the global batch.
  Result loss(const at::Tensor& hidden_TE, const PackedLayout& layout,
              const Targets& targets, const LossSettings& loss_settings,
              double scale, const ForwardSettings& settings);

 private:
  Pooling pooling_;
  double dropout_probability_;
};

}  // namespace longformer
