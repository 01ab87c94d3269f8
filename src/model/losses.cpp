// SPDX-License-Identifier: MIT
#include "longformer/model/losses.h"

#include <ATen/Functions.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

at::Tensor class_weight_tensor(const LossSettings& settings,
                               const at::Tensor& logits) {
  if (settings.class_weights.empty()) {
    return at::ones({logits.size(1)}, logits.options());
  }
  if (static_cast<std::int64_t>(settings.class_weights.size()) !=
      logits.size(1)) {
    throw ShapeError("compute_losses: one class weight for each label");
  }
  return at::tensor(settings.class_weights, at::kDouble).to(logits.options());
}

/// Documents of weight 0 may carry any label (filler has none).
at::Tensor usable(const at::Tensor& values, const at::Tensor& weights) {
  return at::where(weights == 0, at::zeros({}, values.options()), values);
}

Losses single_label(const at::Tensor& logits, const Targets& targets,
                    const at::Tensor& weights, const LossSettings& settings) {
  const at::Tensor class_ids =
      usable(targets.class_ids_B, weights).unsqueeze(1);
  const at::Tensor log_probabilities = at::log_softmax(logits, 1);
  const double smoothing = settings.label_smoothing;
  const at::Tensor own = log_probabilities.gather(1, class_ids);  // [B, 1]
  at::Tensor plain = own.squeeze(1).neg();
  at::Tensor weighted = plain * weights;
  // Share of every class in the target, times its weight.
  at::Tensor weighted_target =
      at::zeros_like(logits).scatter_(1, class_ids, 1.0) * weights.unsqueeze(1);
  if (smoothing > 0) {
    const double share = smoothing / static_cast<double>(logits.size(1));
    const at::Tensor present = weights.ne(0).to(logits.options()).unsqueeze(1);
    const at::Tensor uniform =
        present * class_weight_tensor(settings, logits) * share;
    weighted = weighted * (1.0 - smoothing) -
               at::mul(uniform, log_probabilities).sum(1);
    weighted_target = weighted_target * (1.0 - smoothing) + uniform;
    plain = plain * (1.0 - smoothing) - log_probabilities.sum(1) * share;
  }
  const at::Tensor gradient =
      at::exp(log_probabilities) * weighted_target.sum(1, true) -
      weighted_target;
  return {plain, weighted, gradient};
}

Losses multi_label(const at::Tensor& logits, const Targets& targets,
                   const at::Tensor& weights) {
  const at::Tensor values =
      usable(targets.values_BL.to(logits.options()), weights.unsqueeze(1));
  const double share = 1.0 / static_cast<double>(logits.size(1));
  // log(1 + exp(-|x|)) + max(x, 0) - x y: no overflow for any logit.
  const at::Tensor terms = at::log1p(at::exp(logits.abs().neg())) +
                           logits.clamp_min(0) - logits * values;
  const at::Tensor plain = terms.mean(1);
  return {plain, plain * weights,
          (at::sigmoid(logits) - values) * share * weights.unsqueeze(1)};
}

Losses regression(const at::Tensor& logits, const Targets& targets,
                  const at::Tensor& weights) {
  const at::Tensor difference =
      logits -
      usable(targets.values_BL.to(logits.options()), weights.unsqueeze(1));
  const at::Tensor plain = difference.square().mean(1);
  return {plain, plain * weights,
          difference * (2.0 / static_cast<double>(logits.size(1))) *
              weights.unsqueeze(1)};
}

}  // namespace

Losses compute_losses(const at::Tensor& logits_BL, const Targets& targets,
                      const LossSettings& settings) {
  const at::Tensor weights = targets.weights_B.to(logits_BL.options());
  if (weights.size(0) != logits_BL.size(0)) {
    throw ShapeError("compute_losses: one weight for each document");
  }
  switch (settings.problem_type) {
    case ProblemType::kSingleLabel:
      return single_label(logits_BL, targets, weights, settings);
    case ProblemType::kMultiLabel:
      return multi_label(logits_BL, targets, weights);
    case ProblemType::kRegression:
      break;
  }
  return regression(logits_BL, targets, weights);
}

}  // namespace longformer
