// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include "longformer/config/model_config.h"

namespace longformer {

at::Tensor activation_forward(Activation activation, const at::Tensor& input);

/// `input` is the input of the forward pass.
at::Tensor activation_backward(Activation activation,
                               const at::Tensor& output_gradient,
                               const at::Tensor& input);

}  // namespace longformer
