// SPDX-License-Identifier: MIT
#include "longformer/train/adamw.h"

#include <cmath>
#include <regex>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tiny_model.h"

namespace longformer::test {
namespace {

constexpr const char* kWords = "longformer.embeddings.word_embeddings.weight";
constexpr const char* kMatrix =
    "longformer.encoder.layer.0.output.dense.weight";
constexpr const char* kBias = "longformer.encoder.layer.0.output.dense.bias";
constexpr const char* kNorm =
    "longformer.encoder.layer.0.output.LayerNorm.weight";

std::vector<NamedParameter> some_parameters(at::ScalarType dtype) {
  at::manual_seed(3);
  const auto random = [&](std::vector<std::int64_t> shape) {
    return at::randn(shape, at::TensorOptions(at::kDouble)).to(dtype);
  };
  return {{kWords, random({7, 3})},
          {kMatrix, random({4, 5})},
          {kBias, random({5})},
          {kNorm, random({5})}};
}

/// One parameter of the formula in adamw.h, written out in plain doubles.
struct Expected {
  std::vector<double> value, mean, square;
  double rate_factor = 1;
  bool decays = false;

  void step(const std::vector<double>& gradient, double rate,
            const AdamWSettings& s, std::int64_t t) {
    const double power1 = std::pow(s.beta1, static_cast<double>(t));
    const double power2 = std::pow(s.beta2, static_cast<double>(t));
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (decays) value[i] -= rate * s.weight_decay * value[i];
      mean[i] += (1 - s.beta1) * (gradient[i] - mean[i]);
      square[i] += (1 - s.beta2) * (gradient[i] * gradient[i] - square[i]);
      value[i] -= rate / (1 - power1) * mean[i] /
                  (std::sqrt(square[i]) / std::sqrt(1 - power2) + s.epsilon);
    }
  }
};

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kDouble).flatten().contiguous();
  const double* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

void expect_formula(at::ScalarType dtype, double tolerance) {
  const AdamWSettings settings{0.8, 0.95, 1e-6, 0.1};
  const std::vector<NamedParameter> parameters = some_parameters(dtype);
  AdamW optimizer(parameters, settings);
  std::vector<Expected> expected;
  for (const NamedParameter& p : parameters) {
    const std::vector<double> values = values_of(p.tensor);
    const std::vector<double> zeros(values.size(), 0.0);
    expected.push_back({values, zeros, zeros, p.name == kWords ? 10.0 : 1.0,
                        p.name == kWords || p.name == kMatrix});
  }
  for (std::int64_t step = 1; step <= 5; ++step) {
    const double rate = 1e-2 * static_cast<double>(step);
    const double clip = step == 3 ? 0.25 : 1.0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor gradient =
          at::randn(parameters[i].tensor.sizes(), at::TensorOptions(dtype));
      parameters[i].tensor.mutable_grad() = gradient.clone();
      expected[i].step(values_of(gradient.to(at::kDouble) * clip),
                       rate * expected[i].rate_factor, settings, step);
    }
    optimizer.step(rate, rate * 10, clip);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::vector<double> values = values_of(parameters[i].tensor);
      for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_NEAR(values[k], expected[i].value[k], tolerance)
            << parameters[i].name << " step " << step;
      }
    }
  }
  EXPECT_EQ(optimizer.updates(), 5);
}

TEST(AdamWTest, FollowsTheWrittenOutFormulaInFp64) {
  expect_formula(at::kDouble, 1e-13);
}

TEST(AdamWTest, FollowsTheWrittenOutFormulaInFp32) {
  // Values and updates of size 1, 24 bits, five steps.
  expect_formula(at::kFloat, 2e-6);
}

// DeepSpeedExamples PR 755: decay on biases, or on nothing.
TEST(AdamWTest, ZeroGradientsDecayMatricesAndLeaveBiasesAndLayerNormAlone) {
  const ModelConfig config = tiny_config(3);
  const auto classifier = tiny_classifier(config);
  const std::vector<NamedParameter> parameters = named_parameters(*classifier);
  const std::vector<at::Tensor> before = weights_of(*classifier);
  for (const NamedParameter& p : parameters) {
    p.tensor.mutable_grad() = at::zeros_like(p.tensor);
  }
  AdamW optimizer(parameters, {0.9, 0.999, 1e-8, 0.1});
  optimizer.step(0.1, 0.1, 1.0);
  int unchanged = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    SCOPED_TRACE(name);
    const at::Tensor& now = parameters[i].tensor;
    if (name.ends_with(".bias") ||
        name.find("LayerNorm") != std::string::npos) {
      EXPECT_TRUE(at::equal(now, before[i]));
      ++unchanged;
    } else {
      EXPECT_LE((now - before[i] * 0.99).abs().max().item<double>(), 1e-7);
    }
  }
  // Per layer 9 biases of linear maps and two LayerNorms of 2, one LayerNorm of
  // the embeddings, two biases of the head.
  EXPECT_EQ(unchanged, 2 * 13 + 2 + 2);
}

TEST(AdamWTest, TheGroupsInTheLogHoldEveryParameterOnce) {
  const auto classifier = tiny_classifier(tiny_config());
  std::int64_t values = 0;
  const std::vector<NamedParameter> parameters = named_parameters(*classifier);
  for (const NamedParameter& p : parameters) values += p.tensor.numel();
  const std::string text = AdamW(parameters, {}).describe_groups();
  const std::regex pattern(
      "weight decay on (\\d+) tensors with (\\d+) values, "
      "none on (\\d+) tensors with (\\d+) values");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(text, found, pattern)) << text;
  EXPECT_EQ(std::stoll(found[1]) + std::stoll(found[3]),
            static_cast<std::int64_t>(parameters.size()));
  EXPECT_EQ(std::stoll(found[2]) + std::stoll(found[4]), values);
}

TEST(AdamWTest, ContinuesFromSavedMomentsAsIfItHadNeverStopped) {
  std::vector<std::vector<at::Tensor>> results;
  for (const bool interrupted : {false, true}) {
    std::vector<NamedParameter> parameters = some_parameters(at::kFloat);
    auto optimizer = std::make_unique<AdamW>(parameters, AdamWSettings{});
    at::manual_seed(8);
    for (int step = 0; step < 6; ++step) {
      for (const NamedParameter& p : parameters) {
        p.tensor.mutable_grad() = at::randn_like(p.tensor);
      }
      if (interrupted && step == 3) {
        auto next = std::make_unique<AdamW>(parameters, AdamWSettings{});
        const auto saved = optimizer->state();
        const auto fresh = next->state();
        for (std::size_t i = 0; i < saved.size(); ++i) {
          ASSERT_EQ(saved[i].name, fresh[i].name);
          fresh[i].tensor.copy_(saved[i].tensor);
        }
        next->set_updates(optimizer->updates());
        optimizer = std::move(next);
      }
      optimizer->step(1e-3, 1e-3, 1.0);
    }
    results.emplace_back();
    for (const NamedParameter& p : parameters) {
      results.back().push_back(p.tensor);
    }
  }
  EXPECT_TRUE(bit_equal(results[0], results[1]));
}

TEST(AdamWTest, TheStateCarriesTheNamesOfTheParameters) {
  const AdamW optimizer(some_parameters(at::kFloat), {});
  std::vector<std::string> names;
  for (const NamedParameter& moment : optimizer.state()) {
    names.push_back(moment.name);
  }
  ASSERT_EQ(names.size(), 8U);
  EXPECT_EQ(names[0], std::string("exp_avg.") + kWords);
  EXPECT_EQ(names[1], std::string("exp_avg_sq.") + kWords);
}

}  // namespace
}  // namespace longformer::test
