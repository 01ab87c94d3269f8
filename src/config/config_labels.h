// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/config/model_config.h"

#include "config_reader.h"

namespace longformer {

/// Names of the outputs in order: from id2label (in any order of keys), else
/// label2id, else LABEL_i for num_labels. Without any of them: empty for an
/// architecture, two labels otherwise, as Hugging Face has it.
std::vector<std::string> read_labels(ConfigReader& reader, ConfigUse use);

}  // namespace longformer
