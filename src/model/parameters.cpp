// SPDX-License-Identifier: MIT
#include "longformer/model/parameters.h"

#include <ATen/Functions.h>

namespace longformer {

// Values are set by the loader or by initialize_weights. Filling them here
// would write the whole model's memory once more.

LinearParameters::LinearParameters(std::int64_t in_size,
                                   std::int64_t out_size) {
  weight = register_parameter("weight", at::empty({out_size, in_size}));
  bias = register_parameter("bias", at::empty({out_size}));
}

EmbeddingParameters::EmbeddingParameters(std::int64_t rows,
                                         std::int64_t columns) {
  weight = register_parameter("weight", at::empty({rows, columns}));
}

LayerNormParameters::LayerNormParameters(std::int64_t size) {
  weight = register_parameter("weight", at::empty({size}));
  bias = register_parameter("bias", at::empty({size}));
}

}  // namespace longformer
