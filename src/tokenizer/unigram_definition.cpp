// SPDX-License-Identifier: MIT
#include "unigram_definition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longformer/base/error.h"

#include "base64.h"

namespace longformer {
namespace {

void read_pieces(const Json& list, const std::string& where,
                 UnigramDefinition& out) {
  if (!list.is_array() || list.empty()) {
    throw ModelError(where + ": must be a list of pieces with their scores");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& piece = list[i];
    if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() ||
        !piece[1].is_number()) {
      throw ModelError(where + "[" + std::to_string(i) +
                       "]: must be a piece and its score, found " +
                       piece.dump().substr(0, 100));
    }
    out.pieces.push_back({piece[0].get<std::string>(), piece[1].get<double>()});
  }
}

void read_normalizer(const Json& json, const std::string& where,
                     UnigramDefinition& out) {
  const std::string type = string_member(json, "type", where);
  if (type == "Sequence") {
    for (const Json& part : member(json, "normalizers", where)) {
      read_normalizer(part, where, out);
    }
  } else if (type == "Precompiled") {
    const auto bytes =
        decode_base64(string_member(json, "precompiled_charsmap", where));
    if (!bytes) {
      throw ModelError(where + ": precompiled_charsmap is not base64");
    }
    out.charsmap = *bytes;
  } else if (type != "Replace" && type != "Strip") {
    // Those two only remove blanks that cutting at white space removes anyway.
    throw ModelError(where + ": type " + type +
                     " is not supported; supported is Precompiled");
  }
}

/// Whether a pre-tokenizer of this type is in `json`, and the last Metaspace.
bool find_pre_tokenizer(const Json& json, std::string_view type,
                        const Json** metaspace, const std::string& where) {
  const std::string own = string_member(json, "type", where);
  if (own == "Metaspace") *metaspace = &json;
  if (own != "Sequence") return own == type;
  bool found = false;
  for (const Json& part : member(json, "pretokenizers", where)) {
    const std::string part_type = string_member(part, "type", where);
    if (part_type == "Metaspace") *metaspace = &part;
    found = found || part_type == type;
  }
  return found;
}

void read_pre_tokenizer(const Json& root, const std::string& path,
                        const TokenizerConfig& config, UnigramDefinition& out) {
  const std::string where = path + ": pre_tokenizer";
  const Json* metaspace = nullptr;
  const bool splits = find_pre_tokenizer(member(root, "pre_tokenizer", path),
                                         "WhitespaceSplit", &metaspace, where);
  // XLMRobertaTokenizer splits at white space whatever the file says.
  if (metaspace == nullptr ||
      (!splits && config.tokenizer_class != "XLMRobertaTokenizer")) {
    throw ModelError(where +
                     ": with a Unigram model it must be "
                     "WhitespaceSplit and Metaspace, as for "
                     "XLMRobertaTokenizer");
  }
  if (!absent(*metaspace, "replacement") &&
      string_member(*metaspace, "replacement", where) != "\u2581") {
    throw ModelError(where + ": the replacement must be U+2581");
  }
  out.mark_words = flag_member(*metaspace, "add_prefix_space", true, where);
  if (!absent(*metaspace, "prepend_scheme")) {
    const std::string scheme =
        string_member(*metaspace, "prepend_scheme", where);
    if (scheme != "always" && scheme != "never") {
      throw ModelError(where + ": prepend_scheme " + scheme +
                       " is not supported; supported are always and never");
    }
    out.mark_words = scheme == "always";
  }
}

}  // namespace

UnigramDefinition read_unigram_json(const Json& root, const std::string& path,
                                    const TokenizerConfig& config) {
  UnigramDefinition out;
  out.file = path;
  const Json& model = member(root, "model", path);
  const std::string where = path + ": model";
  read_pieces(member(model, "vocab", where), where + ".vocab", out);
  out.unknown =
      read_token_id(member(model, "unk_id", where), where + ".unk_id");
  if (out.unknown >= std::ssize(out.pieces)) {
    throw ModelError(where + ": unk_id " + std::to_string(out.unknown) +
                     " is not below the " + std::to_string(out.pieces.size()) +
                     " pieces");
  }
  if (flag_member(model, "byte_fallback", false, where)) {
    throw ModelError(where + ": byte_fallback is not supported");
  }
  if (!absent(root, "normalizer")) {
    read_normalizer(root["normalizer"], path + ": normalizer", out);
  }
  read_pre_tokenizer(root, path, config, out);
  out.added_tokens = read_added_tokens(root, path);
  out.post_processor = read_post_processor(root, path);
  return out;
}

namespace {

/// `<s> A </s>` and `<s> A </s></s> B </s>`.
Json xlmr_post_processor() {
  const auto special = [](const char* id) {
    return Json{{"SpecialToken", {{"id", id}, {"type_id", 0}}}};
  };
  const auto sequence = [](const char* id) {
    return Json{{"Sequence", {{"id", id}, {"type_id", 0}}}};
  };
  const auto token = [](const char* text, int id) {
    return Json{{"id", text},
                {"ids", Json::array({id})},
                {"tokens", Json::array({text})}};
  };
  return {
      {"type", "TemplateProcessing"},
      {"single", Json::array({special("<s>"), sequence("A"), special("</s>")})},
      {"pair", Json::array({special("<s>"), sequence("A"), special("</s>"),
                            special("</s>"), sequence("B"), special("</s>")})},
      {"special_tokens",
       {{"<s>", token("<s>", 0)}, {"</s>", token("</s>", 2)}}}};
}

}  // namespace

std::string xlmr_tokenizer_json(const SentencePieceModel& model) {
  Json vocabulary = Json::array();
  Json added = Json::array();
  const auto add_special = [&](const std::string& content) {
    added.push_back({{"id", vocabulary.size()},
                     {"content", content},
                     {"single_word", false},
                     {"lstrip", content == "<mask>"},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
    vocabulary.push_back(Json::array({content, 0.0}));
  };
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) {
    add_special(token);
  }
  for (std::size_t i = 3; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    vocabulary.push_back(
        Json::array({piece.text, static_cast<double>(piece.score)}));
  }
  add_special("<mask>");
  const Json metaspace = {{"type", "Metaspace"},
                          {"replacement", "\u2581"},
                          {"prepend_scheme", "always"},
                          {"split", true}};
  const Json words = {{"type", "WhitespaceSplit"}};
  const Json root = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", added},
                     {"normalizer", nullptr},
                     {"pre_tokenizer",
                      {{"type", "Sequence"},
                       {"pretokenizers", Json::array({words, metaspace})}}},
                     {"post_processor", xlmr_post_processor()},
                     {"decoder", metaspace},
                     {"model",
                      {{"type", "Unigram"},
                       {"unk_id", 3},
                       {"vocab", vocabulary},
                       {"byte_fallback", false}}}};
  return root.dump(1) + "\n";
}

}  // namespace longformer
