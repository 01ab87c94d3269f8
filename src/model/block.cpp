// SPDX-License-Identifier: MIT
#include "longformer/model/block.h"

#include <new>

#include <ATen/Functions.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/custom_function.h>

namespace longformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Passes C++ objects through the autograd context, which stores IValues.
struct Carrier : torch::CustomClassHolder {
  Carrier(std::shared_ptr<Block> block_, std::shared_ptr<StepFailure> failure_)
      : block(std::move(block_)), failure(std::move(failure_)) {}
  std::shared_ptr<Block> block;
  std::shared_ptr<StepFailure> failure;
};

struct BlockFunction : torch::autograd::Function<BlockFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            at::TensorList parameters,
                            c10::intrusive_ptr<Carrier> carrier) {
    // Undefined gradients must stay undefined: zeros would hide a failure and
    // cost memory.
    context->set_materialize_grads(false);
    std::vector<at::Tensor> saved;
    at::Tensor output = carrier->block->forward(input, parameters, &saved);
    variable_list to_save{input};
    to_save.insert(to_save.end(), parameters.begin(), parameters.end());
    to_save.insert(to_save.end(), saved.begin(), saved.end());
    context->save_for_backward(std::move(to_save));
    context->saved_data["parameters"] =
        static_cast<std::int64_t>(parameters.size());
    context->saved_data["carrier"] =
        c10::IValue::make_capsule(std::move(carrier));
    return output;
  }

  static variable_list backward(AutogradContext* context,
                                variable_list output_gradients) {
    const auto num_parameters =
        static_cast<std::size_t>(context->saved_data["parameters"].toInt());
    const auto carrier = c10::static_intrusive_pointer_cast<Carrier>(
        context->saved_data["carrier"].toCapsule());
    // One for the input, one for each parameter, one for the carrier.
    variable_list gradients(num_parameters + 2);
    StepFailure& failure = *carrier->failure;
    if (failure.failed || !output_gradients[0].defined()) return gradients;
    try {
      const variable_list saved = context->get_saved_variables();
      const auto first = saved.begin() + 1;
      const auto last = first + static_cast<std::ptrdiff_t>(num_parameters);
      const at::NoGradGuard no_gradients;
      Block::Gradients result = carrier->block->backward(
          output_gradients[0], saved[0], variable_list(first, last),
          std::vector<at::Tensor>(last, saved.end()));
      gradients[0] = std::move(result.input);
      std::move(result.parameters.begin(), result.parameters.end(),
                gradients.begin() + 1);
    } catch (const c10::OutOfMemoryError& error) {
      failure = {true, true, error.what_without_backtrace()};
    } catch (const std::bad_alloc& error) {
      failure = {true, true, error.what()};
    } catch (const std::exception& error) {
      failure = {true, false, error.what()};
    }
    if (failure.failed) gradients.assign(gradients.size(), at::Tensor());
    return gradients;
  }
};

/// Computes nothing.
class AnchorBlock : public Block {
 public:
  at::Tensor forward(const at::Tensor& /*input*/, at::TensorList parameters,
                     std::vector<at::Tensor>* /*saved*/) override {
    return at::zeros({}, parameters[0].options());
  }

  Gradients backward(const at::Tensor& /*output_gradient*/,
                     const at::Tensor& /*input*/, at::TensorList parameters,
                     const std::vector<at::Tensor>& /*saved*/) override {
    return {{}, std::vector<at::Tensor>(parameters.size())};
  }
};

}  // namespace

at::Tensor run_block(const std::shared_ptr<Block>& block,
                     const at::Tensor& input,
                     const std::vector<at::Tensor>& parameters,
                     const std::shared_ptr<StepFailure>& failure) {
  if (!at::GradMode::is_enabled()) {
    return block->forward(input, parameters, nullptr);
  }
  // A node cannot take an undefined tensor.
  return BlockFunction::apply(input.defined() ? input : at::empty({0}),
                              at::TensorList(parameters),
                              c10::make_intrusive<Carrier>(block, failure));
}

at::Tensor run_anchor(const at::Tensor& input,
                      const std::vector<at::Tensor>& parameters) {
  return run_block(std::make_shared<AnchorBlock>(), input, parameters,
                   std::make_shared<StepFailure>());
}

}  // namespace longformer
