// SPDX-License-Identifier: MIT
#include "saved_config.h"

#include <algorithm>

#include "longformer/base/strict_json.h"

namespace longformer {
namespace {

constexpr const char* kName = "tokenizer_config.json";

Json added_token_json(const AddedToken& token) {
  return {{"__type", "AddedToken"},  {"content", token.content},
          {"lstrip", token.lstrip},  {"normalized", token.normalized},
          {"rstrip", token.rstrip},  {"single_word", token.single_word},
          {"special", token.special}};
}

}  // namespace

void complete_tokenizer_config(const SavedConfig& config,
                               std::vector<TokenizerFile>& files) {
  auto file = std::find_if(
      files.begin(), files.end(),
      [](const TokenizerFile& candidate) { return candidate.name == kName; });
  Json json = Json::object();
  if (file != files.end()) json = parse_strict_json(file->content);
  const Json before = json;
  const auto lacks = [&](const std::string& key) {
    return !json.contains(key) || json[key].is_null();
  };
  if (lacks("tokenizer_class") && !config.tokenizer_class.empty()) {
    json["tokenizer_class"] = config.tokenizer_class;
  }
  if (config.add_prefix_space &&
      (lacks("add_prefix_space") ||
       json["add_prefix_space"] != *config.add_prefix_space)) {
    json["add_prefix_space"] = *config.add_prefix_space;
  }
  if (lacks("model_max_length") && config.model_max_length > 0) {
    json["model_max_length"] = config.model_max_length;
  }
  for (const auto& [role, token] : config.roles) {
    if (lacks(role) || json[role].is_string()) {
      json[role] = added_token_json(token);
    }
  }
  if (json == before && file != files.end()) return;
  const std::string content = json.dump(2) + "\n";
  if (file == files.end()) {
    files.push_back({kName, content});
  } else {
    file->content = content;
  }
}

void set_saved_max_length(std::int64_t length,
                          std::vector<TokenizerFile>& files) {
  for (TokenizerFile& file : files) {
    if (file.name != kName) continue;
    Json json = parse_strict_json(file.content);
    json["model_max_length"] = length;
    file.content = json.dump(2) + "\n";
    return;
  }
  const Json json = {{"model_max_length", length}};
  files.push_back({kName, json.dump(2) + "\n"});
}

}  // namespace longformer
