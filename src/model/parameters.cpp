// SPDX-License-Identifier: MIT
#include "longformer/model/parameters.h"

#include <ATen/Functions.h>

namespace longformer {

// Values are set by the loader or by initialize_weights; zeros until then.

LinearParameters::LinearParameters(std::int64_t in_size,
                                   std::int64_t out_size) {
  weight = register_parameter("weight", at::zeros({out_size, in_size}));
  bias = register_parameter("bias", at::zeros({out_size}));
}

EmbeddingParameters::EmbeddingParameters(std::int64_t rows,
                                         std::int64_t columns) {
  weight = register_parameter("weight", at::zeros({rows, columns}));
}

LayerNormParameters::LayerNormParameters(std::int64_t size) {
  weight = register_parameter("weight", at::ones({size}));
  bias = register_parameter("bias", at::zeros({size}));
}

}  // namespace longformer
