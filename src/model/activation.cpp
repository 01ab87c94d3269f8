// SPDX-License-Identifier: MIT
#include "activation.h"

#include <ATen/Functions.h>

namespace longformer {

at::Tensor activation_forward(Activation activation, const at::Tensor& input) {
  switch (activation) {
    case Activation::kGelu:
      return at::gelu(input, "none");
    case Activation::kGeluTanh:
      return at::gelu(input, "tanh");
    case Activation::kRelu:
      return at::relu(input);
    case Activation::kSilu:
      break;
  }
  return at::silu(input);
}

at::Tensor activation_backward(Activation activation,
                               const at::Tensor& output_gradient,
                               const at::Tensor& input) {
  switch (activation) {
    case Activation::kGelu:
      return at::gelu_backward(output_gradient, input, "none");
    case Activation::kGeluTanh:
      return at::gelu_backward(output_gradient, input, "tanh");
    case Activation::kRelu:
      return at::threshold_backward(output_gradient, input, 0);
    case Activation::kSilu:
      break;
  }
  return at::silu_backward(output_gradient, input);
}

}  // namespace longformer
