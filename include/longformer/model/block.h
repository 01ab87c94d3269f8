// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace longformer {

/// Whether something failed inside a backward pass of this step, and what.
/// Shared by all blocks of a step; the trainer looks after backward().
struct StepFailure {
  bool failed = false;
  bool out_of_memory = false;
  std::string message;
};

/// A part of the model (embeddings, one encoder layer, head) with its own
/// forward and backward pass, used as one node of the autograd graph whose
/// inputs include its parameters.
///
/// One object serves one forward pass and its backward pass.
class Block {
 public:
  virtual ~Block() = default;

  /// `input` is undefined for the first block. Intermediate values that
  /// backward() needs are appended to `saved` unless it is null.
  virtual at::Tensor forward(const at::Tensor& input, at::TensorList parameters,
                             std::vector<at::Tensor>* saved) = 0;

  struct Gradients {
    at::Tensor input;                    ///< Undefined for the first block.
    std::vector<at::Tensor> parameters;  ///< One for each parameter.
  };
  virtual Gradients backward(const at::Tensor& output_gradient,
                             const at::Tensor& input, at::TensorList parameters,
                             const std::vector<at::Tensor>& saved) = 0;
};

/// Runs a block, as a node of the autograd graph when gradients are wanted and
/// plainly otherwise.
///
/// Failure inside backward (out of memory above all) does not leave it: it is
/// recorded in `failure` and the gradients of this block are undefined. Every
/// gradient hook below still fires, so a gradient exchange between ranks
/// completes on all of them, and the step is decided together afterwards. When
/// `failure->failed` is already set, nothing is computed.
at::Tensor run_block(const std::shared_ptr<Block>& block,
                     const at::Tensor& input,
                     const std::vector<at::Tensor>& parameters,
                     const std::shared_ptr<StepFailure>& failure);

/// A node in the place of run_block()'s, for a rank that has nothing to
/// compute: it gives a scalar, and in the backward pass undefined gradients to
/// its input and parameters. The hooks of the parameters fire in the same order
/// as with a block, so that the rank takes part in a gradient exchange.
at::Tensor run_anchor(const at::Tensor& input,
                      const std::vector<at::Tensor>& parameters);

}  // namespace longformer
