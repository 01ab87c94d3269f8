// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/config/task.h"
#include "longformer/model/packed_input.h"

namespace longformer {

/// The loss of a training run.
struct LossSettings {
  ProblemType problem_type = ProblemType::kSingleLabel;
  /// Single label: each class's share of a uniform target (Szegedy et al.
  /// 2016, section 7).
  double label_smoothing = 0;
  /// [L] or empty; single label: the weights inside a smoothed target (the
  /// weight of a document's own class is in Targets::weights_B).
  std::vector<double> class_weights;
};

struct Losses {
  /// [B], each document's loss without its weight: cross entropy (single
  /// label), mean over labels of the binary cross entropy (multi-label), mean
  /// over outputs of the squared error (regression).
  at::Tensor per_document_B;
  /// [B]: what each document adds to the numerator of the weighted mean.
  at::Tensor weighted_B;
  /// [B, L]: gradient of the sum of `weighted_B`.
  at::Tensor logits_gradient_BL;
};

/// With document weights w and W their sum over the global batch, the loss of
/// a step is sum(weighted) / W. Without smoothing, weighted = w * loss; a
/// smoothed target weights each class's term by that class's weight, as
/// cross_entropy of PyTorch does. A document of weight 0 adds exactly 0.
///
/// logits_BL: fp32 or fp64. Throws ShapeError.
Losses compute_losses(const at::Tensor& logits_BL, const Targets& targets,
                      const LossSettings& settings);

}  // namespace longformer
