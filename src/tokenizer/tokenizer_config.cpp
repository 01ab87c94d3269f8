// SPDX-License-Identifier: MIT
#include "tokenizer_config.h"

#include <charconv>
#include <limits>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

/// Larger than the tokenizer of any published model.

constexpr const char* kRoles[] = {"bos_token", "eos_token", "sep_token",
                                  "cls_token", "pad_token", "unk_token",
                                  "mask_token"};

void read_flag(const Json& json, const char* key, const std::string& where,
               std::optional<bool>& flag) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return;
  if (!found->is_boolean()) {
    throw ModelError(where + ": " + key + " must be true or false, found " +
                     found->dump());
  }
  flag = found->get<bool>();
}

void read_flag(const Json& json, const char* key, const std::string& where,
               bool& flag) {
  std::optional<bool> value;
  read_flag(json, key, where, value);
  flag = value.value_or(flag);
}

void read_roles(const Json& json, const std::string& path,
                TokenizerConfig& config) {
  for (const char* role : kRoles) {
    const auto found = json.find(role);
    if (found == json.end() || found->is_null()) continue;
    AddedToken token;
    if (found->is_string()) {
      token.content = found->get<std::string>();
    } else {
      token = read_added_token(*found, path + ": " + role);
    }
    token.special = true;
    if (config.roles.emplace(role, token).second) {
      config.role_has_settings[role] = found->is_object();
    }
  }
}

void read_class(const Json& json, const std::string& path,
                TokenizerConfig& config) {
  const auto found = json.find("tokenizer_class");
  if (found == json.end() || found->is_null()) return;
  if (!found->is_string()) {
    throw ModelError(path + ": tokenizer_class must be a string, found " +
                     found->dump());
  }
  config.tokenizer_class = found->get<std::string>();
  if (config.tokenizer_class.ends_with("Fast")) {
    config.tokenizer_class.resize(config.tokenizer_class.size() - 4);
  }
}

void read_max_length(const Json& json, const std::string& path,
                     TokenizerConfig& config) {
  const auto found = json.find("model_max_length");
  if (found == json.end() || found->is_null()) return;
  if (!found->is_number() || found->get<double>() < 0) {
    throw ModelError(path + ": model_max_length must be a number, found " +
                     found->dump());
  }
  // Python writes 1e30 for "no limit".
  const double length = found->get<double>();
  if (length < 1e9) config.model_max_length = static_cast<std::int64_t>(length);
}

void read_added_tokens_decoder(const Json& json, const std::string& path,
                               TokenizerConfig& config) {
  const auto found = json.find("added_tokens_decoder");
  if (found == json.end() || found->is_null()) return;
  const std::string where = path + ": added_tokens_decoder";
  if (!found->is_object()) throw ModelError(where + " must be an object");
  for (const auto& [key, value] : found->items()) {
    AddedToken token = read_added_token(value, where + ": " + key);
    const auto [end, error] =
        std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (error != std::errc() || end != key.data() + key.size() ||
        token.id < 0) {
      throw ModelError(where + ": \"" + key + "\" is no token id");
    }
    config.added_tokens.push_back(token);
  }
}

void read_added_tokens_file(const std::string& path, TokenizerConfig& config) {
  const Json json = read_json_object(path);
  for (const auto& [content, id] : json.items()) {
    AddedToken token;
    token.content = content;
    token.id = read_token_id(id, path + ": \"" + content + "\"");
    token.normalized = true;
    config.added_tokens.push_back(token);
  }
}

}  // namespace

Json read_json_object(const std::string& path) {
  try {
    Json json = parse_strict_json(read_file(path));
    if (json.is_object()) return json;
  } catch (const JsonSyntaxError& error) {
    throw ModelError(path + ": not valid JSON, " + describe(error) +
                     "; fetch or save the file again");
  } catch (const FileError& error) {
    throw ModelError(error.what());
  }
  throw ModelError(path + ": must hold a JSON object");
}

std::int32_t read_token_id(const Json& json, const std::string& where) {
  if (!json.is_number_integer() || json.get<double>() < 0 ||
      json.get<double>() > std::numeric_limits<std::int32_t>::max()) {
    throw ModelError(where +
                     ": a token id must be a whole number from 0 to "
                     "2147483647, found " +
                     json.dump());
  }
  return json.get<std::int32_t>();
}

AddedToken read_added_token(const Json& json, const std::string& where) {
  if (!json.is_object()) {
    throw ModelError(where + ": a token must be an object, found " +
                     json.dump().substr(0, 100));
  }
  AddedToken token;
  const auto content = json.find("content");
  if (content == json.end() || !content->is_string()) {
    throw ModelError(where + ": a token must have a string \"content\"");
  }
  token.content = content->get<std::string>();
  read_flag(json, "single_word", where, token.single_word);
  read_flag(json, "lstrip", where, token.lstrip);
  read_flag(json, "rstrip", where, token.rstrip);
  read_flag(json, "special", where, token.special);
  token.normalized = !token.special;
  read_flag(json, "normalized", where, token.normalized);
  return token;
}

TokenizerConfig read_tokenizer_config(const std::string& directory) {
  TokenizerConfig config;
  const std::string main = join_path(directory, "tokenizer_config.json");
  if (exists(main)) {
    const Json json = read_json_object(main);
    read_class(json, main, config);
    read_flag(json, "add_prefix_space", main, config.add_prefix_space);
    read_flag(json, "trim_offsets", main, config.trim_offsets);
    read_max_length(json, main, config);
    read_roles(json, main, config);
    read_added_tokens_decoder(json, main, config);
  }
  const std::string map = join_path(directory, "special_tokens_map.json");
  if (exists(map)) read_roles(read_json_object(map), map, config);
  const std::string added = join_path(directory, "added_tokens.json");
  if (exists(added)) read_added_tokens_file(added, config);
  const std::string model = join_path(directory, "config.json");
  if (config.tokenizer_class.empty() && exists(model)) {
    const Json json = read_json_object(model);
    read_class(json, model, config);
    const auto type = json.find("model_type");
    if (config.tokenizer_class.empty() && type != json.end() &&
        (*type == "xlm-roberta" || *type == "xlm-roberta-xl")) {
      config.tokenizer_class = "XLMRobertaTokenizer";
    }
  }
  return config;
}

}  // namespace longformer
