// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longformer/config/field.h"
#include "longformer/config/task.h"

namespace longformer {

/// What is trained.
struct ModelOptions {
  std::string model;
  std::string architecture;
  std::string tokenizer;
  std::int64_t max_length = 0;
  std::int64_t attention_window = 0;
  PoolingChoice pooling = PoolingChoice::kAuto;
  std::optional<double> dropout;
  std::optional<double> initializer_range;
  bool reinit_head = false;
  bool allow_missing_weights = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&ModelOptions::model,
          field("model",
                "Directory of the model to start from (Hugging Face layout). "
                "Give this or architecture."));
    visit(&ModelOptions::architecture,
          field("architecture",
                "A config.json that describes a model to be trained from "
                "scratch. Give this or model."));
    visit(&ModelOptions::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer; empty: the model's directory. "
                "Rows with input_ids need none."));
    visit(&ModelOptions::max_length,
          field("max_length",
                "Longer documents are cut to this, special tokens included; "
                "0: as much as the model and its tokenizer's "
                "model_max_length allow, which a training run sets to what it "
                "used.")
              .unit("tokens")
              .at_least(0));
    visit(&ModelOptions::attention_window,
          field("attention_window",
                "Width of the attention window of every layer, both sides "
                "together, an even number; 0: the model's own.")
              .unit("tokens")
              .at_least(0));
    visit(&ModelOptions::pooling,
          field("pooling",
                "What the classification head reads: the first token (cls), "
                "the mean of the document, or what the model says (auto)."));
    visit(&ModelOptions::dropout,
          field("dropout",
                "Dropout of hidden states and of attention; unset: the "
                "model's own two values.")
              .range_below(0, 1));
    visit(&ModelOptions::initializer_range,
          field("initializer_range",
                "Standard deviation of new weights; unset: the model's own.")
              .range(0, 10));
    visit(&ModelOptions::reinit_head,
          field("reinit_head",
                "Start with a new classification head even if the model has "
                "one that fits."));
    visit(&ModelOptions::allow_missing_weights,
          field("allow_missing_weights",
                "Initialise encoder weights that the model's files lack "
                "instead of refusing the model."));
  }
};

}  // namespace longformer
