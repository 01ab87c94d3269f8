// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longformer/data/dataset.h"
#include "longformer/model/classifier.h"

namespace longformer::test {

/// A small model for tests: hidden 32, 4 heads, window 16, at most 128 tokens,
/// 60 ids; random weights from `seed`.
ModelConfig tiny_config(std::int64_t num_labels = 2,
                        std::int64_t num_layers = 2);
std::shared_ptr<LongformerClassifier> tiny_classifier(
    const ModelConfig& config, std::uint64_t seed = 1,
    at::ScalarType dtype = at::kFloat);

/// Documents of the given lengths with random ids; the label of document i is
/// i modulo the number of labels, and one of its tokens gives it away.
Dataset tiny_dataset(const std::vector<std::int64_t>& lengths,
                     const ModelConfig& config, std::uint64_t seed = 5);

/// Copies of all gradients, in the order of the parameters.
std::vector<at::Tensor> gradients_of(const LongformerClassifier& classifier);
/// Euclidean norm of a - b over that of a, all tensors taken together.
double relative_difference(const std::vector<at::Tensor>& a,
                           const std::vector<at::Tensor>& b);

/// Copies of all weights.
std::vector<at::Tensor> weights_of(const LongformerClassifier& classifier);
bool bit_equal(const std::vector<at::Tensor>& a,
               const std::vector<at::Tensor>& b);

}  // namespace longformer::test
