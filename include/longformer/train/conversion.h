// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/config/command_options.h"

namespace longformer {

/// Turns a model in any published layout into a Hugging Face directory of a
/// Longformer: names, windows and config as published, weights in safetensors
/// (in shards, if asked for), the tokenizer's files beside them.
///
/// A RoBERTa or XLM-R model is lengthened as Beltagy et al. (2020), section 5,
/// did: its position table is tiled (rows 0 to pad_token_id are kept, the rest
/// repeats), the global projections are copies of the local ones. Tensors that
/// need no change are written byte for byte; position_ids buffers are left out.
///
/// The directory appears as a whole or not at all. Logs what was renamed,
/// copied and left out.
///
/// Throws ModelError, ConfigError (a window is needed and missing, fewer
/// positions than the model has), SystemError.
/// Memory: the largest tensor, twice.
void convert_model(const ConvertTask& task);

}  // namespace longformer
