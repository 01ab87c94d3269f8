// SPDX-License-Identifier: MIT
#include "bpe_definition.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

void read_vocabulary(const Json& json, const std::string& where,
                     BpeDefinition& out) {
  if (!json.is_object() || json.empty()) {
    throw ModelError(where + ": must be an object with one id for each token");
  }
  std::unordered_map<std::int32_t, const std::string*> owner;
  // Tables are as long as the largest id: a damaged one must not fill memory.
  const auto limit = 2 * static_cast<std::int64_t>(json.size()) + 65536;
  for (const auto& [token, value] : json.items()) {
    const std::int32_t id = read_token_id(value, where + ": \"" + token + "\"");
    if (id >= limit) {
      throw ModelError(where + ": \"" + token + "\" has id " +
                       std::to_string(id) + ", far above the " +
                       std::to_string(json.size()) + " tokens");
    }
    const auto [position, is_new] = owner.emplace(id, &token);
    if (!is_new) {
      throw ModelError(where + ": \"" + token + "\" and \"" +
                       *position->second + "\" both have id " +
                       std::to_string(id));
    }
    out.vocabulary.emplace_back(token, id);
  }
}

/// Lines of merges.txt are "left right". Only a first line that starts with
/// #version is a header: tokens may start with # too.
void read_merges_text(const std::string& path, BpeDefinition& out) {
  const std::string text = read_file(path);
  std::int64_t number = 0;
  out.first_merge_line = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    ++number;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    // The alphabet of tokens has no carriage return.
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line.starts_with("#version")) {
      out.first_merge_line = 2;
      continue;
    }
    if (line.empty() &&
        text.find_first_not_of("\r\n", begin - 1) == std::string::npos) {
      break;
    }
    const std::size_t blank = line.find(' ');
    if (blank == 0 || blank == std::string_view::npos ||
        blank + 1 == line.size() ||
        line.find(' ', blank + 1) != std::string_view::npos ||
        find_invalid_utf8(line) != std::string_view::npos) {
      throw ModelError(path + ":" + std::to_string(number) +
                       ": a merge must be two tokens with one blank between "
                       "them, found \"" +
                       replace_invalid_utf8(line.substr(0, 100)) + "\"");
    }
    out.merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
}

/// Tokens with a role that the files do not describe further are RoBERTa's.
AddedToken roberta_token(const TokenizerConfig& config, const char* role,
                         const char* content) {
  AddedToken token;
  token.content = content;
  const auto named = config.roles.find(role);
  if (named != config.roles.end()) {
    token = named->second;
    if (config.role_has_settings.at(role)) return token;
  }
  token.special = true;
  token.normalized = false;
  token.lstrip = role == std::string_view("mask_token");
  return token;
}

}  // namespace

BpeDefinition read_vocabulary_and_merges(const std::string& directory,
                                         const TokenizerConfig& config) {
  BpeDefinition out;
  out.vocabulary_file = join_path(directory, "vocab.json");
  out.merges_file = join_path(directory, "merges.txt");
  try {
    read_vocabulary(read_json_object(out.vocabulary_file), out.vocabulary_file,
                    out);
    read_merges_text(out.merges_file, out);
  } catch (const FileError& error) {
    throw ModelError(std::string(error.what()) +
                     "; vocab.json and merges.txt belong together");
  }
  std::unordered_map<std::string, std::int32_t> ids(out.vocabulary.begin(),
                                                    out.vocabulary.end());
  const auto add = [&](AddedToken token) {
    for (const AddedToken& known : out.added_tokens) {
      if (known.content == token.content) return;
    }
    const auto found = ids.find(token.content);
    if (found != ids.end()) token.id = found->second;
    if (token.id >= 0) out.added_tokens.push_back(token);
  };
  for (const AddedToken& token : config.added_tokens) add(token);
  const std::pair<const char*, const char*> roles[] = {
      {"bos_token", "<s>"},    {"eos_token", "</s>"},  {"sep_token", "</s>"},
      {"cls_token", "<s>"},    {"pad_token", "<pad>"}, {"unk_token", "<unk>"},
      {"mask_token", "<mask>"}};
  for (const auto& [role, content] : roles) {
    add(roberta_token(config, role, content));
  }
  out.post_processor.trim_offsets = true;
  return out;
}

namespace {

void read_merge_list(const Json& list, const std::string& where,
                     BpeDefinition& out) {
  if (!list.is_array()) throw ModelError(where + ": must be a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& merge = list[i];
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
        merge[1].is_string()) {
      out.merges.emplace_back(merge[0].get<std::string>(),
                              merge[1].get<std::string>());
      continue;
    }
    const std::string text =
        merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos ||
        text.find(' ', blank + 1) != std::string::npos) {
      throw ModelError(where + "[" + std::to_string(i) +
                       "]: a merge must be two tokens, as a list or with one "
                       "blank between them, found " +
                       merge.dump().substr(0, 100));
    }
    out.merges.emplace_back(text.substr(0, blank), text.substr(blank + 1));
  }
}

/// Refuses what would silently give other ids.
void require_absent(const Json& object, const char* key,
                    const std::string& where) {
  if (absent(object, key)) return;
  const Json& value = object[key];
  if (value == "" || value == false || (value.is_number() && value == 0)) {
    return;
  }
  throw ModelError(where + ": " + key + " = " + value.dump().substr(0, 100) +
                   " is not supported; byte-level BPE as in GPT-2 and RoBERTa "
                   "has none");
}

void read_pre_tokenizer(const Json& root, const std::string& path,
                        BpeDefinition& out) {
  const std::string where = path + ": pre_tokenizer";
  const Json* json = &member(root, "pre_tokenizer", path);
  if (json->is_object() && json->contains("pretokenizers") &&
      (*json)["pretokenizers"].size() == 1) {
    json = &(*json)["pretokenizers"][0];
  }
  const std::string type =
      json->is_object() ? string_member(*json, "type", where) : "null";
  if (type != "ByteLevel") {
    throw ModelError(where + ": type " + type +
                     " with a BPE model is not supported; supported is "
                     "byte-level BPE (type ByteLevel)");
  }
  out.add_prefix_space = flag_member(*json, "add_prefix_space", true, where);
  out.split_words = flag_member(*json, "use_regex", true, where);
}

}  // namespace

BpeDefinition read_byte_level_json(const Json& root, const std::string& path) {
  BpeDefinition out;
  out.vocabulary_file = out.merges_file = path;
  if (!absent(root, "normalizer")) {
    throw ModelError(path + ": a normalizer with a BPE model is not supported");
  }
  read_pre_tokenizer(root, path, out);
  const Json& model = member(root, "model", path);
  const std::string where = path + ": model";
  for (const char* key : {"dropout", "continuing_subword_prefix",
                          "end_of_word_suffix", "byte_fallback", "fuse_unk"}) {
    require_absent(model, key, where);
  }
  if (!absent(model, "unk_token")) {
    out.unknown_token = string_member(model, "unk_token", where);
  }
  out.ignore_merges = flag_member(model, "ignore_merges", false, where);
  read_vocabulary(member(model, "vocab", where), path + ": model.vocab", out);
  read_merge_list(member(model, "merges", where), path + ": model.merges", out);
  out.added_tokens = read_added_tokens(root, path);
  out.post_processor = read_post_processor(root, path);
  return out;
}

}  // namespace longformer
