// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/model/classifier.h"
#include "longformer/model/parameters.h"

namespace longformer {

/// Writes config.json and model.safetensors into an existing directory, as
/// Hugging Face's classes read them (fp32). Files are written atomically.
void save_classifier(const LongformerClassifier& classifier,
                     const std::string& directory);

/// Writes tensors to one safetensors file.
void save_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path);

/// Reads tensors of a safetensors file into the tensors of the same name; all
/// must be there with the same shape, and no others.
/// Throws ModelError.
void load_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path);

}  // namespace longformer
