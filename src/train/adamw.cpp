// SPDX-License-Identifier: MIT
#include "longformer/train/adamw.h"

#include <ATen/Functions.h>

namespace longformer {

bool decays(std::string_view parameter_name) {
  return !parameter_name.ends_with("bias") &&
         parameter_name.find("LayerNorm") == std::string_view::npos;
}

AdamW::AdamW(std::vector<NamedParameter> parameters,
             const AdamWSettings& settings)
    : parameters_(std::move(parameters)), settings_(settings) {
  groups_ = {{true, false, {}}, {true, true, {}}, {false, false, {}}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const NamedParameter& parameter = parameters_[i];
    means_.push_back(at::zeros_like(parameter.tensor));
    squares_.push_back(at::zeros_like(parameter.tensor));
    const bool embedding = parameter.name.ends_with("word_embeddings.weight");
    const std::size_t group = !decays(parameter.name) ? 2 : embedding ? 1 : 0;
    groups_[group].members.push_back(i);
  }
}

void AdamW::step(double rate, double embedding_rate, double gradient_factor) {
  const at::NoGradGuard no_gradients;
  ++updates_;
  for (const Group& group : groups_) {
    std::vector<at::Tensor> values;
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> means;
    std::vector<at::Tensor> squares;
    std::vector<at::Tensor> steps;
    for (const std::size_t i : group.members) {
      const at::Tensor& value = parameters_[i].tensor;
      if (!value.grad().defined()) continue;
      values.push_back(value);
      gradients.push_back(value.grad());
      means.push_back(means_[i]);
      squares.push_back(squares_[i]);
      steps.push_back(at::scalar_tensor(
          static_cast<double>(updates_),
          at::TensorOptions(at::kFloat).device(value.device())));
    }
    if (values.empty()) continue;
    // Not the kernel's own grad_scale: it is read as fp32 whatever the type.
    if (gradient_factor != 1.0) at::_foreach_mul_(gradients, gradient_factor);
    at::_fused_adamw_(values, gradients, means, squares, {}, steps,
                      group.is_embedding ? embedding_rate : rate,
                      settings_.beta1, settings_.beta2,
                      group.decays ? settings_.weight_decay : 0.0,
                      settings_.epsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
  }
}

std::vector<NamedParameter> AdamW::state() const {
  std::vector<NamedParameter> state;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.push_back({"exp_avg." + parameters_[i].name, means_[i]});
    state.push_back({"exp_avg_sq." + parameters_[i].name, squares_[i]});
  }
  return state;
}

std::string AdamW::describe_groups() const {
  std::int64_t tensors[2] = {0, 0};
  std::int64_t values[2] = {0, 0};
  for (const Group& group : groups_) {
    for (const std::size_t i : group.members) {
      ++tensors[group.decays ? 1 : 0];
      values[group.decays ? 1 : 0] += parameters_[i].tensor.numel();
    }
  }
  const auto part = [&](int decay) {
    return std::to_string(tensors[decay]) + " tensors with " +
           std::to_string(values[decay]) + " values";
  };
  return "weight decay on " + part(1) + ", none on " + part(0);
}

}  // namespace longformer
