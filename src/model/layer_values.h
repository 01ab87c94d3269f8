// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>

namespace longformer {

/// Order of an encoder layer's parameters, as published and as registered.
enum LayerParameter : std::size_t {
  kQueryWeight,
  kQueryBias,
  kKeyWeight,
  kKeyBias,
  kValueWeight,
  kValueBias,
  kGlobalQueryWeight,
  kGlobalQueryBias,
  kGlobalKeyWeight,
  kGlobalKeyBias,
  kGlobalValueWeight,
  kGlobalValueBias,
  kAttentionDenseWeight,
  kAttentionDenseBias,
  kAttentionNormWeight,
  kAttentionNormBias,
  kExpandWeight,
  kExpandBias,
  kContractWeight,
  kContractBias,
  kOutputNormWeight,
  kOutputNormBias,
  kNumLayerParameters
};

/// Order of the values between a layer's input and its output.
enum LayerValue : std::size_t {
  kQuery,
  kKey,
  kValue,
  kAttention,
  kNormaliser,
  kGlobalQuery,
  kGlobalNormaliser,
  kAttentionSum,
  kAttentionMean,
  kAttentionDeviation,
  kAttentionNorm,
  kExpanded,
  kActivated,
  kOutputSum,
  kOutputMean,
  kOutputDeviation,
  kNumLayerValues
};

/// LayerValues of one forward pass (undefined: not kept), or one gradient for
/// each LayerParameter.
using LayerTensors = std::vector<at::Tensor>;

/// Sets the gradients of the weight at `index` and of the bias behind it.
void parameter_gradients(const at::Tensor& output_gradient,
                         const at::Tensor& input, LayerTensors& gradients,
                         std::size_t index);

/// The same, and returns the gradient of the input.
at::Tensor linear_backward(const at::Tensor& output_gradient,
                           const at::Tensor& input, at::TensorList parameters,
                           LayerTensors& gradients, std::size_t index);

}  // namespace longformer
