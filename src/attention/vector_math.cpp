// SPDX-License-Identifier: MIT
#include "longformer/attention/vector_math.h"

#include <ATen/Functions.h>

namespace longformer {

void prepare_vector_math() {
  // One element is computed by the calling thread alone.
  static const bool prepared = [] {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const at::Tensor one = at::ones({1}, dtype);
      for (const auto& function :
           {at::exp, at::expm1, at::log, at::log1p, at::sqrt, at::tanh, at::erf,
            at::sin, at::cos}) {
        function(one);
      }
    }
    return true;
  }();
  static_cast<void>(prepared);
}

}  // namespace longformer
