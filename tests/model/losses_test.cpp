// SPDX-License-Identifier: MIT
#include "longformer/model/losses.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer::test {
namespace {

const at::TensorOptions kDoubles(at::kDouble);
const at::TensorOptions kLongs(at::kLong);

at::Tensor some_logits() {
  at::manual_seed(4);
  return at::randn({5, 4}, kDoubles) * 3;
}

Targets class_targets(const std::vector<std::int64_t>& classes,
                      const std::vector<double>& weights) {
  Targets targets;
  targets.class_ids_B = at::tensor(classes, kLongs);
  targets.weights_B = at::tensor(weights, kDoubles);
  return targets;
}

Targets value_targets(const at::Tensor& values,
                      const std::vector<double>& weights) {
  Targets targets;
  targets.values_BL = values;
  targets.weights_B = at::tensor(weights, kDoubles);
  return targets;
}

double sum_of_weighted(const at::Tensor& logits, const Targets& targets,
                       const LossSettings& settings) {
  return compute_losses(logits, targets, settings)
      .weighted_B.sum()
      .item<double>();
}

void expect_central_differences(const Targets& targets,
                                const LossSettings& settings) {
  const at::Tensor logits = some_logits();
  const at::Tensor gradient =
      compute_losses(logits, targets, settings).logits_gradient_BL;
  constexpr double kStep = 1e-6;
  for (std::int64_t b = 0; b < logits.size(0); ++b) {
    for (std::int64_t l = 0; l < logits.size(1); ++l) {
      const auto shifted = [&](double change) {
        at::Tensor moved = logits.clone();
        moved[b][l] += change;
        return sum_of_weighted(moved, targets, settings);
      };
      const double difference =
          (shifted(kStep) - shifted(-kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[b][l].item<double>(), difference, 1e-8)
          << b << ", " << l;
    }
  }
}

void expect_close(const at::Tensor& a, const at::Tensor& b,
                  double tolerance = 1e-13) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_LE((a - b).abs().max().item<double>(), tolerance);
}

/// PyTorch's cross entropy with the mean over weights.
at::Tensor cross_entropy(const at::Tensor& logits, const Targets& targets,
                         const std::vector<double>& weights, double smoothing) {
  return at::cross_entropy_loss(logits, targets.class_ids_B,
                                at::tensor(weights, kDoubles),
                                at::Reduction::Mean, -100, smoothing);
}

class CrossEntropyTest : public testing::TestWithParam<double> {};

TEST_P(CrossEntropyTest, EqualsPyTorchsWithClassWeights) {
  const std::vector<double> class_weights{0.5, 1.5, 3, 0.25};
  const std::vector<std::int64_t> classes{2, 0, 3, 1, 1};
  std::vector<double> weights;
  for (const std::int64_t c : classes) {
    weights.push_back(class_weights[static_cast<std::size_t>(c)]);
  }
  const Targets targets = class_targets(classes, weights);
  const LossSettings settings{ProblemType::kSingleLabel, GetParam(),
                              class_weights};
  const at::Tensor logits = some_logits();
  const double loss = sum_of_weighted(logits, targets, settings) /
                      targets.weights_B.sum().item<double>();
  EXPECT_NEAR(
      loss,
      cross_entropy(logits, targets, class_weights, GetParam()).item<double>(),
      1e-13);
  expect_central_differences(targets, settings);
}

TEST_P(CrossEntropyTest, EqualsPyTorchsWithoutWeights) {
  const Targets targets = class_targets({2, 0, 3, 1, 1}, {1, 1, 1, 1, 1});
  const LossSettings settings{ProblemType::kSingleLabel, GetParam(), {}};
  const at::Tensor logits = some_logits();
  const Losses losses = compute_losses(logits, targets, settings);
  expect_close(losses.per_document_B,
               at::cross_entropy_loss(logits, targets.class_ids_B, {},
                                      at::Reduction::None, -100, GetParam()));
  expect_close(losses.weighted_B, losses.per_document_B);
  expect_central_differences(targets, settings);
}

INSTANTIATE_TEST_SUITE_P(LabelSmoothing, CrossEntropyTest,
                         testing::Values(0.0, 0.1, 0.6));

TEST(LossesTest, MultiLabelEqualsPyTorchsBinaryCrossEntropy) {
  const at::Tensor values = at::tensor({1., 0., 0., 1., 0., 0., 0., 0., 1., 1.,
                                        1., 1., 0., 1., 0., 0., 1., 0., 1., 0.},
                                       kDoubles)
                                .view({5, 4});
  const Targets targets = value_targets(values, {1, 1, 1, 1, 1});
  const LossSettings settings{ProblemType::kMultiLabel, 0, {}};
  const at::Tensor logits = some_logits();
  const Losses losses = compute_losses(logits, targets, settings);
  expect_close(losses.per_document_B,
               at::binary_cross_entropy_with_logits(logits, values, {}, {},
                                                    at::Reduction::None)
                   .mean(1));
  expect_central_differences(targets, settings);
}

TEST(LossesTest, RegressionIsTheMeanSquaredError) {
  const at::Tensor values = some_logits().flip(0);
  const Targets targets = value_targets(values, {1, 1, 1, 1, 1});
  const LossSettings settings{ProblemType::kRegression, 0, {}};
  const Losses losses = compute_losses(some_logits(), targets, settings);
  expect_close(losses.per_document_B,
               (some_logits() - values).square().mean(1));
  expect_central_differences(targets, settings);
}

TEST(LossesTest, WeightsOfDocumentsScaleLossAndGradient) {
  const at::Tensor values = at::rand({5, 4}, kDoubles).round();
  for (const ProblemType type :
       {ProblemType::kSingleLabel, ProblemType::kMultiLabel,
        ProblemType::kRegression}) {
    Targets targets = class_targets({2, 0, 3, 1, 1}, {2, 0.5, 1, 3, 0.125});
    targets.values_BL = values;
    const LossSettings settings{type, 0, {}};
    const Losses losses = compute_losses(some_logits(), targets, settings);
    expect_close(losses.weighted_B, losses.per_document_B * targets.weights_B);
    expect_central_differences(targets, settings);
  }
}

// pytorch issue 109517: filler rows poisoned the batch.
TEST(LossesTest, ADocumentOfWeightZeroAddsExactlyNothingWhateverItsTarget) {
  at::Tensor values = at::ones({5, 4}, kDoubles);
  values[3].fill_(NAN);
  for (const double smoothing : {0.0, 0.2}) {
    for (const ProblemType type :
         {ProblemType::kSingleLabel, ProblemType::kMultiLabel,
          ProblemType::kRegression}) {
      Targets targets = class_targets({2, 0, 3, -100, 1}, {1, 1, 1, 0, 1});
      targets.values_BL = values;
      const LossSettings settings{
          type, type == ProblemType::kSingleLabel ? smoothing : 0.0, {}};
      const Losses losses = compute_losses(some_logits(), targets, settings);
      EXPECT_EQ(losses.weighted_B[3].item<double>(), 0.0);
      EXPECT_EQ(losses.logits_gradient_BL[3].abs().max().item<double>(), 0.0);
      EXPECT_TRUE(at::isfinite(losses.weighted_B).all().item<bool>());
    }
  }
}

TEST(LossesTest, HugeLogitsGiveFiniteLossesAndGradients) {
  const at::Tensor logits = at::tensor({1e4, -1e4, 0., 1e30, -1e30, 1.},
                                       at::TensorOptions(at::kFloat))
                                .view({2, 3});
  for (const ProblemType type :
       {ProblemType::kSingleLabel, ProblemType::kMultiLabel}) {
    Targets targets = class_targets({0, 2}, {1, 1});
    targets.values_BL =
        at::tensor({1., 0., 1., 1., 0., 1.}, kDoubles).view({2, 3});
    const Losses losses = compute_losses(logits, targets, {type, 0, {}});
    EXPECT_TRUE(at::isfinite(losses.logits_gradient_BL).all().item<bool>());
    EXPECT_TRUE(at::isfinite(losses.weighted_B).all().item<bool>());
  }
}

TEST(LossesTest, AWrongNumberOfWeightsIsAnError) {
  EXPECT_THROW(compute_losses(some_logits(), class_targets({0, 1}, {1, 1}), {}),
               ShapeError);
  EXPECT_THROW(compute_losses(some_logits(),
                              class_targets({0, 1, 2, 3, 0}, {1, 1, 1, 1, 1}),
                              {ProblemType::kSingleLabel, 0.1, {1, 2, 3}}),
               ShapeError);
}

}  // namespace
}  // namespace longformer::test
