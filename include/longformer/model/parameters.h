// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <torch/nn/module.h>

namespace longformer {

/// A weight [out, in] and a bias [out] under their published names. Holds
/// values only; the computation lives in the layer that uses them.
class LinearParameters : public torch::nn::Module {
 public:
  LinearParameters(std::int64_t in_size, std::int64_t out_size);
  at::Tensor weight;
  at::Tensor bias;
};

/// A table [rows, columns] of embeddings.
class EmbeddingParameters : public torch::nn::Module {
 public:
  EmbeddingParameters(std::int64_t rows, std::int64_t columns);
  at::Tensor weight;
};

/// Scale and shift [size] of a LayerNorm.
class LayerNormParameters : public torch::nn::Module {
 public:
  explicit LayerNormParameters(std::int64_t size);
  at::Tensor weight;
  at::Tensor bias;
};

}  // namespace longformer
