// SPDX-License-Identifier: MIT
#include "tokenizer_json.h"

#include "longformer/base/error.h"

#include "tokenizer_config.h"

namespace longformer {
namespace {

/// ["</s>", 2]
std::int32_t read_token_pair(const Json& processor, const char* key,
                             const std::string& where) {
  const Json& pair = member(processor, key, where);
  if (!pair.is_array() || pair.size() != 2) {
    throw ModelError(where + ": " + key + " must be a token and its id");
  }
  return read_token_id(pair[1], where + ": " + key);
}

void read_roberta(const Json& json, const std::string& where,
                  PostProcessor& out) {
  const std::int32_t cls = read_token_pair(json, "cls", where);
  const std::int32_t sep = read_token_pair(json, "sep", where);
  out.tokens = {{cls}, {sep}, {cls}, {sep, sep}, {sep}};
  out.trim_offsets = flag_member(json, "trim_offsets", true, where);
  out.keep_first_blank = flag_member(json, "add_prefix_space", true, where);
}

/// The ids that stand for a special token of a template.
std::vector<std::int32_t> template_ids(const Json& json,
                                       const std::string& name,
                                       const std::string& where) {
  const Json& token = member(member(json, "special_tokens", where),
                             name.c_str(), where + ": special_tokens");
  std::vector<std::int32_t> ids;
  for (const Json& id : member(token, "ids", where + ": " + name)) {
    ids.push_back(read_token_id(id, where + ": " + name));
  }
  return ids;
}

/// The ids before, between and after the texts: `texts` + 1 lists.
std::vector<std::vector<std::int32_t>> read_sides(const Json& json,
                                                  const char* key,
                                                  std::size_t texts,
                                                  const std::string& where) {
  const Json& items = member(json, key, where);
  if (!items.is_array())
    throw ModelError(where + ": " + key + " must be a list");
  std::vector<std::vector<std::int32_t>> sides(1);
  for (const Json& item : items) {
    if (item.is_object() && item.contains("SpecialToken")) {
      const Json& special = item["SpecialToken"];
      const auto ids =
          template_ids(json, string_member(special, "id", where), where);
      sides.back().insert(sides.back().end(), ids.begin(), ids.end());
      continue;
    }
    const std::string expected = sides.size() == 1 ? "A" : "B";
    const Json& sequence = member(item, "Sequence", where + ": " + key);
    if (string_member(sequence, "id", where) != expected) {
      throw ModelError(where + ": " + key +
                       " must name the texts in the order A, B");
    }
    sides.emplace_back();
  }
  if (sides.size() != texts + 1) {
    throw ModelError(where + ": " + key + " must name " +
                     std::to_string(texts) + " texts, found " +
                     std::to_string(sides.size() - 1));
  }
  return sides;
}

void read_template(const Json& json, const std::string& where,
                   PostProcessor& out) {
  auto single = read_sides(json, "single", 1, where);
  auto pair = read_sides(json, "pair", 2, where);
  out.tokens = {single[0], single[1], pair[0], pair[1], pair[2]};
}

void read_processor(const Json& json, const std::string& where,
                    PostProcessor& out) {
  const std::string type = string_member(json, "type", where);
  if (type == "RobertaProcessing") {
    read_roberta(json, where, out);
  } else if (type == "TemplateProcessing") {
    read_template(json, where, out);
  } else if (type == "ByteLevel") {
    out.trim_offsets = flag_member(json, "trim_offsets", true, where);
    out.keep_first_blank = flag_member(json, "add_prefix_space", true, where);
  } else {
    throw ModelError(where + ": type " + type +
                     " is not supported; supported "
                     "are RobertaProcessing, TemplateProcessing and ByteLevel");
  }
}

}  // namespace

const Json& member(const Json& object, const char* key,
                   const std::string& where) {
  if (object.is_object()) {
    const auto found = object.find(key);
    if (found != object.end()) return *found;
  }
  throw ModelError(where + ": \"" + key + "\" is missing");
}

std::string string_member(const Json& object, const char* key,
                          const std::string& where) {
  const Json& value = member(object, key, where);
  if (!value.is_string()) {
    throw ModelError(where + ": \"" + key + "\" must be a string, found " +
                     value.dump().substr(0, 100));
  }
  return value.get<std::string>();
}

bool flag_member(const Json& object, const char* key, bool otherwise,
                 const std::string& where) {
  if (absent(object, key)) return otherwise;
  const Json& value = member(object, key, where);
  if (!value.is_boolean()) {
    throw ModelError(where + ": \"" + key + "\" must be true or false, found " +
                     value.dump().substr(0, 100));
  }
  return value.get<bool>();
}

bool absent(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null();
}

std::string model_type(const Json& root) {
  const auto model = root.find("model");
  if (model == root.end() || !model->is_object()) return "";
  const auto type = model->find("type");
  return type != model->end() && type->is_string() ? type->get<std::string>()
                                                   : "";
}

std::vector<AddedToken> read_added_tokens(const Json& root,
                                          const std::string& path) {
  std::vector<AddedToken> tokens;
  if (absent(root, "added_tokens")) return tokens;
  const Json& list = root["added_tokens"];
  if (!list.is_array())
    throw ModelError(path + ": added_tokens must be a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where =
        path + ": added_tokens[" + std::to_string(i) + "]";
    AddedToken token = read_added_token(list[i], where);
    token.id = read_token_id(member(list[i], "id", where), where + ": id");
    tokens.push_back(token);
  }
  return tokens;
}

PostProcessor read_post_processor(const Json& root, const std::string& path) {
  PostProcessor out;
  if (absent(root, "post_processor")) return out;
  const Json& json = root["post_processor"];
  const std::string where = path + ": post_processor";
  if (string_member(json, "type", where) != "Sequence") {
    read_processor(json, where, out);
    return out;
  }
  const Json& processors = member(json, "processors", where);
  if (!processors.is_array()) {
    throw ModelError(where + ": processors must be a list");
  }
  for (const Json& processor : processors) {
    read_processor(processor, where, out);
  }
  return out;
}

}  // namespace longformer
