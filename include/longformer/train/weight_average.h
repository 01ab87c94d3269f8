// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/model/classifier.h"

namespace longformer {

/// Exponential moving average of a model's weights over the steps of training
/// (Polyak & Juditsky 1992). The weights of one step are noisy: their average
/// generalises better, most of all when there is little data.
///
/// After step t (from 1): average += (1 - d) (weights - average), with
/// d = min(decay, t / (t + 10)), so that the random start is soon forgotten.
class WeightAverage {
 public:
  /// Starts at the weights as they are. 0 < decay < 1.
  WeightAverage(std::vector<NamedParameter> parameters, double decay);

  /// Takes in the weights after step `step`.
  void update(std::int64_t step);

  /// Exchanges the model's weights and their average, without a copy.
  void swap();

  /// The averages under the names of the parameters, for checkpoints.
  std::vector<NamedParameter> state() const;
  /// Starts again at the weights as they are.
  void restart();

 private:
  std::vector<NamedParameter> parameters_;
  double decay_;
  std::vector<at::Tensor> averages_;
};

/// While it lives, the model has its averaged weights, if there are any.
class AveragedWeights {
 public:
  /// `average` may be null and outlives this.
  explicit AveragedWeights(WeightAverage* average) : average_(average) {
    if (average_ != nullptr) average_->swap();
  }
  ~AveragedWeights() {
    if (average_ != nullptr) average_->swap();
  }
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  WeightAverage* average_;
};

}  // namespace longformer
