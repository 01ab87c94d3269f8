// SPDX-License-Identifier: MIT
#include "longformer/train/weight_average.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tiny_model.h"

namespace longformer::test {
namespace {

class WeightAverageTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  WeightAverageTest() {
    classifier_ = tiny_classifier(tiny_config(), 1, GetParam());
  }
  void change_weights(double by) const {
    const at::NoGradGuard no_gradients;
    for (const NamedParameter& p : named_parameters(*classifier_)) {
      p.tensor.add_(by);
    }
  }
  /// First weight of every parameter, in fp64.
  static std::vector<double> firsts(const std::vector<NamedParameter>& all) {
    std::vector<double> values;
    for (const NamedParameter& p : all) {
      values.push_back(p.tensor.view(-1)[0].item<double>());
    }
    return values;
  }

  std::shared_ptr<LongformerClassifier> classifier_;
};

// Written out: w_t = w_0 + t^2, so the average is w_0 + the average of t^2.
TEST_P(WeightAverageTest, FollowsItsFormula) {
  const auto parameters = named_parameters(*classifier_);
  const std::vector<double> start = firsts(parameters);
  WeightAverage average(parameters, 0.6);
  double expected = 0;
  for (int t = 1; t <= 40; ++t) {
    change_weights(2 * t - 1);
    average.update(t);
    const double decay = std::min(0.6, t / (t + 10.0));
    expected = decay * expected + (1 - decay) * t * t;
  }
  const std::vector<double> averages = firsts(average.state());
  ASSERT_EQ(averages.size(), start.size());
  const double tolerance = GetParam() == at::kDouble ? 1e-10 : 2e-3;
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_NEAR(averages[i], start[i] + expected, tolerance);
  }
}

TEST_P(WeightAverageTest, TheModelHasItOnlyWhileAsked) {
  WeightAverage average(named_parameters(*classifier_), 0.5);
  const auto before = weights_of(*classifier_);
  change_weights(1);
  const auto changed = weights_of(*classifier_);
  {
    const AveragedWeights averaged(&average);
    EXPECT_TRUE(bit_equal(weights_of(*classifier_), before));
  }
  EXPECT_TRUE(bit_equal(weights_of(*classifier_), changed));
  // Handles that others hold see the exchange and its end.
  const auto handles = named_parameters(*classifier_);
  average.swap();
  change_weights(3);
  average.swap();
  EXPECT_EQ(firsts(handles), firsts(named_parameters(*classifier_)));
  EXPECT_TRUE(bit_equal(weights_of(*classifier_), changed));
  const AveragedWeights none(nullptr);
  EXPECT_TRUE(bit_equal(weights_of(*classifier_), changed));
}

TEST_P(WeightAverageTest, RestartsAtTheWeights) {
  WeightAverage average(named_parameters(*classifier_), 0.5);
  change_weights(1);
  average.restart();
  EXPECT_EQ(firsts(average.state()), firsts(named_parameters(*classifier_)));
}

TEST_P(WeightAverageTest, LeavesGradientsToTheWeights) {
  WeightAverage average(named_parameters(*classifier_), 0.5);
  const NamedParameter parameter = named_parameters(*classifier_).front();
  average.swap();
  average.swap();
  EXPECT_TRUE(parameter.tensor.requires_grad());
  parameter.tensor.sum().backward();
  EXPECT_TRUE(parameter.tensor.grad().eq(1).all().item<bool>());
  for (const NamedParameter& p : average.state()) {
    EXPECT_FALSE(p.tensor.requires_grad());
  }
}

std::string type_name(const testing::TestParamInfo<at::ScalarType>& tested) {
  return tested.param == at::kDouble ? "Fp64" : "Fp32";
}

INSTANTIATE_TEST_SUITE_P(Types, WeightAverageTest,
                         testing::Values(at::kDouble, at::kFloat), type_name);

}  // namespace
}  // namespace longformer::test
