// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "longformer/config/model_config.h"
#include "longformer/model/classification_head.h"
#include "longformer/model/embeddings.h"
#include "longformer/model/encoder_layer.h"

namespace longformer {

/// Longformer for sequence classification and regression: parameters carry the
/// published names of `LongformerForSequenceClassification` (a head with mean
/// pooling is called `mean_classifier`, so that another program reports it as
/// missing instead of answering wrongly).
///
/// Beltagy, Peters & Cohan 2020 (arXiv:2004.05150).
class LongformerClassifier : public torch::nn::Module {
 public:
  /// Parameters are 0 (LayerNorm weights 1) until loaded or initialised.
  /// `config` must be complete: vocab_size, labels and windows set.
  explicit LongformerClassifier(ModelConfig config);

  const ModelConfig& config() const { return config_; }
  /// Where the parameters are, and where inputs have to be.
  at::Device device() const;

  /// Logits [B, L], without a gradient graph.
  at::Tensor logits(const PackedInput& input, const ForwardSettings& settings);

  /// The loss of a micro-batch with its graph, see ClassificationHead::loss.
  ClassificationHead::Result loss(const PackedInput& input,
                                  const Targets& targets,
                                  const LossSettings& loss_settings,
                                  double scale,
                                  const ForwardSettings& settings);

  /// A scalar with the graph of loss() that computes nothing, see run_anchor().
  at::Tensor anchor() const;

  /// Output of the embeddings and of every layer, [T, E] each.
  std::vector<at::Tensor> hidden_states(const PackedInput& input,
                                        const ForwardSettings& settings);

 private:
  /// What the head pools.
  struct Encoded {
    at::Tensor hidden;    ///< [T, E], or [B, E] where nothing else counts.
    PackedLayout layout;  ///< Of its rows.
  };
  Encoded encode(const PackedInput& input, const ForwardSettings& settings);

  ModelConfig config_;
  std::shared_ptr<Embeddings> embeddings_;
  std::vector<std::shared_ptr<EncoderLayer>> layers_;
  std::shared_ptr<ClassificationHead> head_;
};

/// Names and tensors of all parameters in the published order.
struct NamedParameter {
  std::string name;
  at::Tensor tensor;
};
std::vector<NamedParameter> named_parameters(
    const LongformerClassifier& classifier);

/// Whether a parameter belongs to the classification head.
bool is_head_parameter(std::string_view name);

/// Sets every parameter (or only the head's) to its initial value:
/// N(0, initializer_range) for matrices and tables with the padding rows 0,
/// biases 0, LayerNorm weight 1. The values depend on seed, name and shape
/// only.
void initialize_weights(LongformerClassifier& classifier, std::uint64_t seed,
                        bool head_only);

}  // namespace longformer
