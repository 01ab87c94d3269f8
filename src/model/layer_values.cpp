// SPDX-License-Identifier: MIT
#include "layer_values.h"

#include <ATen/Functions.h>

namespace longformer {

void parameter_gradients(const at::Tensor& output_gradient,
                         const at::Tensor& input, LayerTensors& gradients,
                         std::size_t index) {
  gradients[index] = at::mm(output_gradient.t(), input);
  gradients[index + 1] = output_gradient.sum(0);
}

at::Tensor linear_backward(const at::Tensor& output_gradient,
                           const at::Tensor& input, at::TensorList parameters,
                           LayerTensors& gradients, std::size_t index) {
  parameter_gradients(output_gradient, input, gradients, index);
  return at::mm(output_gradient, parameters[index]);
}

}  // namespace longformer
