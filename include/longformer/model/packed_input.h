// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/attention/attention.h"
#include "longformer/attention/packed_layout.h"
#include "longformer/config/memory_options.h"
#include "longformer/model/block.h"

namespace longformer {

/// A packed batch on the device where the model is.
struct PackedInput {
  at::Tensor token_ids_T;       ///< int64
  at::Tensor position_ids_T;    ///< int64, rows of the position table.
  at::Tensor token_type_ids_T;  ///< int64; undefined when all are 0.
  PackedLayout layout;
};

/// What a document should have been answered with.
struct Targets {
  at::Tensor class_ids_B;  ///< int64, single label; undefined otherwise.
  at::Tensor values_BL;    ///< Multi-label (0 or 1) and regression.
  at::Tensor weights_B;    ///< Weight of each document; 0 marks filler.
};

/// How one forward pass is to be run.
struct ForwardSettings {
  /// Dropout with the key of this step; without it the pass is evaluation.
  bool training = false;
  PhiloxKey dropout_key;
  AttentionPath attention_path = AttentionPath::kAuto;
  /// Of each encoder layer; empty: none.
  std::vector<Recomputation> recomputation;
  /// Receives failures of the backward pass.
  std::shared_ptr<StepFailure> failure = std::make_shared<StepFailure>();

  /// Dropout of `probability` for layer `layer`, or none in evaluation.
  Dropout dropout(double probability, std::uint32_t layer) const {
    return {training ? probability : 0.0, dropout_key, layer};
  }
  Recomputation recomputation_in(std::uint32_t layer) const {
    return recomputation.empty() ? Recomputation::kNone
                                 : recomputation.at(layer);
  }
};

/// Layer number of the head in the counters of dropout.
inline constexpr std::uint32_t kHeadDropoutLayer = 0xFFF;

}  // namespace longformer
