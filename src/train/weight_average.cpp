// SPDX-License-Identifier: MIT
#include "longformer/train/weight_average.h"

#include <algorithm>

#include <ATen/Functions.h>

namespace longformer {

WeightAverage::WeightAverage(std::vector<NamedParameter> parameters,
                             double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  const at::NoGradGuard no_gradients;
  for (const NamedParameter& parameter : parameters_) {
    averages_.push_back(parameter.tensor.detach().clone());
  }
}

void WeightAverage::update(std::int64_t step) {
  const at::NoGradGuard no_gradients;
  const auto t = static_cast<double>(step);
  const double decay = std::min(decay_, t / (t + 10));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    averages_[i].lerp_(parameters_[i].tensor.detach(), 1 - decay);
  }
}

void WeightAverage::swap() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor weights = parameters_[i].tensor.detach();
    parameters_[i].tensor.set_data(averages_[i]);
    averages_[i] = weights;
  }
}

std::vector<NamedParameter> WeightAverage::state() const {
  std::vector<NamedParameter> state;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.push_back({parameters_[i].name, averages_[i]});
  }
  return state;
}

void WeightAverage::restart() {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    averages_[i].copy_(parameters_[i].tensor);
  }
}

}  // namespace longformer
