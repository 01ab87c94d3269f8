// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "longformer/config/model_config.h"
#include "longformer/config/model_options.h"
#include "longformer/model/classifier.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// Shape and dropout of the model that training begins with, before labels are
/// known: the model's or the architecture's, changed by the options.
///
/// Throws ConfigError for an architecture that cannot be read, ModelError for a
/// model.
ModelConfig starting_config(const ModelOptions& options);

/// Whether the model to start from brings a head of the pooling of `config`
/// that is to be kept, and with it its labels.
bool keeps_head(const ModelOptions& options, const ModelConfig& config);

/// Takes from the tokenizer (which may be null) what an architecture leaves
/// open. Throws ConfigError if neither says how large the vocabulary is.
void complete_config(const ModelOptions& options, const Tokenizer* tokenizer,
                     ModelConfig& config);

/// The model with its loaded or new weights. Logs which are which, and warns of
/// options that changed nothing.
std::shared_ptr<LongformerClassifier> make_classifier(
    const ModelOptions& options, const ModelConfig& config, std::uint64_t seed);

}  // namespace longformer
