// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longformer/base/strict_json.h"

#include "added_tokens.h"

namespace longformer {

/// What tokenizer_config.json, special_tokens_map.json, added_tokens.json and
/// config.json of a directory say about its tokenizer. All are optional.
struct TokenizerConfig {
  /// Python class, without a "Fast" at the end; empty if none is named.
  std::string tokenizer_class;
  std::optional<bool> add_prefix_space;
  std::optional<bool> trim_offsets;
  std::int64_t model_max_length = 0;
  /// Tokens with a role, by their key: "bos_token", "mask_token", ... Tokens
  /// given as a bare string have no settings but their content.
  std::map<std::string, AddedToken> roles;
  std::map<std::string, bool> role_has_settings;
  /// From added_tokens_decoder and added_tokens.json, with ids.
  std::vector<AddedToken> added_tokens;
};

/// Throws ModelError naming the file.
TokenizerConfig read_tokenizer_config(const std::string& directory);

/// Reads and parses a JSON file that must be an object; throws ModelError.
Json read_json_object(const std::string& path);

/// An added token as written in tokenizer.json; `where` begins the messages.
AddedToken read_added_token(const Json& json, const std::string& where);

/// A whole number in [0, 2^31); `where` begins the message.
std::int32_t read_token_id(const Json& json, const std::string& where);

}  // namespace longformer
