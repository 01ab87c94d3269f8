// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

#include "added_tokens.h"

namespace longformer {

/// What tokenizer_config.json has to say so that AutoTokenizer gives the ids of
/// a loaded tokenizer.
struct SavedConfig {
  std::string tokenizer_class;
  std::optional<bool> add_prefix_space;
  std::int64_t model_max_length = 0;  ///< 0: say nothing.
  std::vector<std::pair<std::string, AddedToken>> roles;
};

/// Adds to `files` a tokenizer_config.json, or to an existing one what it
/// lacks: the class, roles without settings, another add_prefix_space. A file
/// that lacks nothing stays as it is, byte for byte.
void complete_tokenizer_config(const SavedConfig& config,
                               std::vector<TokenizerFile>& files);

/// Sets model_max_length in tokenizer_config.json, whatever it was.
void set_saved_max_length(std::int64_t length,
                          std::vector<TokenizerFile>& files);

}  // namespace longformer
