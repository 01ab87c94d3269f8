// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "longformer/config/model_config.h"

#include "config_reader.h"

namespace longformer {

/// Checks that the config describes a window as this program computes it
/// (`attention_mode` and its relatives of AI2's original code), and returns
/// the window of each of `num_layers` layers, both sides together.
std::vector<std::int64_t> read_attention_windows(ConfigReader& reader,
                                                 std::int64_t num_layers,
                                                 const ModelConfigRules& rules);

}  // namespace longformer
