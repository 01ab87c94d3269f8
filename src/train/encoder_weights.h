// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "longformer/config/model_config.h"
#include "longformer/io/model_files.h"

namespace longformer {

/// Published names and shapes of the tensors that the encoder of `config`
/// cannot do without. `with_global`: also the projections of global tokens,
/// which RoBERTa and XLM-R have none of.
std::map<std::string, std::vector<std::int64_t>> encoder_weights(
    const ModelConfig& config, bool with_global);

/// Tensors of files by their published names.
using PublishedTensors = std::map<std::string, const ModelFiles::Tensor*>;

/// Whether a tensor of this published name takes part in answers.
bool is_model_weight(const std::string& name);

/// Every tensor of the encoder is there with the shape that `config` asks for,
/// and what takes part in answers is of a float type. `path`: the files, for
/// messages. Throws ModelError naming file and tensor.
void check_weights(const PublishedTensors& tensors, const ModelConfig& config,
                   bool with_global, const std::string& path);

}  // namespace longformer
