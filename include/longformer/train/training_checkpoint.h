// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/base/strict_json.h"
#include "longformer/tokenizer/tokenizer.h"
#include "longformer/train/trainer.h"
#include "longformer/train/training_state.h"

namespace longformer {

/// Writes a model directory that this program and Hugging Face's classes open:
/// config.json, model.safetensors, and the tokenizer's files if there are any.
void write_model_directory(const LongformerClassifier& classifier,
                           const Tokenizer* tokenizer,
                           const std::string& directory);

/// The files of a checkpoint: model/ (a complete model directory),
/// optimizer.safetensors (moments), weight_average.safetensors (if the run
/// averages its weights), training_state.json, options.json.
void write_checkpoint(Trainer& trainer, const Tokenizer* tokenizer,
                      const TrainingState& state, const Json& options,
                      const std::string& directory);

/// Where the run stood. Throws ModelError.
TrainingState checkpoint_state(const std::string& directory);

/// The options that the run had when it wrote this checkpoint, and the model.
/// Throw ModelError.
Json checkpoint_options(const std::string& directory);
ModelConfig checkpoint_config(const std::string& directory);

/// Puts weights, moments and counters of a checkpoint into a trainer whose
/// model has the same shape. `state` is its checkpoint_state(). A checkpoint
/// without an average starts one. Throws ModelError naming file and tensor.
void read_checkpoint(const std::string& directory, const TrainingState& state,
                     Trainer& trainer);

}  // namespace longformer
