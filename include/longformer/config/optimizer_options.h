// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "longformer/config/class_weights.h"
#include "longformer/config/field.h"

namespace longformer {

/// Shape of the learning rate after warm-up: straight down to 0, half a cosine
/// down to 0, or level.
enum class Schedule { kLinear, kCosine, kConstant };

template <>
struct EnumNames<Schedule> {
  static constexpr std::array<std::string_view, 3> kNames{"linear", "cosine",
                                                          "constant"};
};

/// AdamW and its schedule (Loshchilov & Hutter 2019, arXiv:1711.05101), and
/// how much of the data one step sees.
struct OptimizerOptions {
  std::optional<std::int64_t> epochs;
  std::int64_t max_steps = 0;
  std::int64_t batch_size = 32;
  double learning_rate = 3e-5;
  std::optional<double> embedding_learning_rate;
  Schedule schedule = Schedule::kLinear;
  std::int64_t warmup_steps = 0;
  double warmup_ratio = 0;
  double weight_decay = 0.01;
  double max_grad_norm = 1;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;
  double ema_decay = 0;
  double label_smoothing = 0;
  ClassWeights class_weights;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&OptimizerOptions::epochs,
          field("epochs",
                "Passes over the training data. Unset: 3, or as many as "
                "max_steps needs.")
              .unit("epochs")
              .range(1, 1e6));
    visit(&OptimizerOptions::max_steps,
          field("max_steps",
                "Optimizer steps after which training ends, unless epochs is "
                "given too and is over sooner; 0: epochs alone decide.")
              .unit("steps")
              .at_least(0));
    visit(&OptimizerOptions::batch_size,
          field("batch_size",
                "Documents of one optimizer step, over all devices together.")
              .unit("documents")
              .range(1, 1e9));
    visit(&OptimizerOptions::learning_rate,
          field("learning_rate",
                "Peak learning rate, reached at the end of warm-up.")
              .range(0, 10));
    visit(&OptimizerOptions::embedding_learning_rate,
          field("embedding_learning_rate",
                "Peak learning rate of the word embeddings; unset: "
                "learning_rate.")
              .range(0, 10));
    visit(&OptimizerOptions::schedule,
          field("schedule", "Course of the learning rate after warm-up."));
    visit(&OptimizerOptions::warmup_steps,
          field("warmup_steps",
                "Steps in which the learning rate rises from 0. Give this or "
                "warmup_ratio.")
              .unit("steps")
              .at_least(0));
    visit(&OptimizerOptions::warmup_ratio,
          field("warmup_ratio",
                "The same as a share of all steps. Give this or "
                "warmup_steps.")
              .range(0, 1));
    visit(&OptimizerOptions::weight_decay,
          field("weight_decay",
                "Decay of weights a step, times the learning rate; biases "
                "and LayerNorm do not decay.")
              .range(0, 10));
    visit(&OptimizerOptions::max_grad_norm,
          field("max_grad_norm",
                "Gradients are scaled down to this norm; 0: never.")
              .at_least(0));
    visit(
        &OptimizerOptions::adam_beta1,
        field("adam_beta1", "Memory of the mean gradient.").range_below(0, 1));
    visit(&OptimizerOptions::adam_beta2,
          field("adam_beta2", "Memory of the mean squared gradient.")
              .range_below(0, 1));
    visit(
        &OptimizerOptions::adam_epsilon,
        field("adam_epsilon", "Added to the root of the mean squared gradient.")
            .range(0, 1));
    visit(&OptimizerOptions::ema_decay,
          field("ema_decay",
                "Decay a step of a moving average of the weights, which is "
                "then what is validated and exported; 0: no average. About "
                "1 - 3 / steps suits training from scratch on little data.")
              .range_below(0, 1));
    visit(&OptimizerOptions::label_smoothing,
          field("label_smoothing",
                "Share of every target that is spread evenly over all "
                "labels; single-label classification only.")
              .range_below(0, 1));
    visit(&OptimizerOptions::class_weights,
          field("class_weights",
                "Weight of every class in the loss: none, balanced (inverse "
                "to its frequency in the training files), or one number a "
                "class in the order of the labels.")
              .range(0, 1e6));
  }
};

/// Passes over the training data after which training ends at the latest;
/// nothing when max_steps alone decides.
inline std::optional<std::int64_t> epoch_limit(
    const OptimizerOptions& options) {
  if (!options.epochs && options.max_steps == 0) return 3;
  return options.epochs;
}

}  // namespace longformer
