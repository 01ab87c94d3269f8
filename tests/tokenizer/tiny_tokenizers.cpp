// SPDX-License-Identifier: MIT
#include "tokenizer/tiny_tokenizers.h"

#include "longformer/base/utf8.h"

namespace longformer::test {
namespace {

/// GPT-2's alphabet, written down a second time: the tested code must not be
/// its own reference.
std::string symbol(int byte) {
  const bool printable = (byte >= 33 && byte <= 126) ||
                         (byte >= 161 && byte <= 172) || byte >= 174;
  char32_t code = static_cast<char32_t>(byte);
  if (!printable) {
    code = 256;
    for (int other = 0; other < byte; ++other) {
      const bool other_printable = (other >= 33 && other <= 126) ||
                                   (other >= 161 && other <= 172) ||
                                   other >= 174;
      code += other_printable ? 0 : 1;
    }
  }
  std::string text;
  append_utf8(code, text);
  return text;
}

Json added_token(int id, const std::string& content) {
  return {{"id", id},
          {"content", content},
          {"lstrip", content == "<mask>"},
          {"rstrip", false},
          {"single_word", false},
          {"normalized", false},
          {"special", true}};
}

}  // namespace

TinyBpe::TinyBpe(std::vector<std::pair<std::string, std::string>> merges)
    : merges_(std::move(merges)) {}

TinyBpe::TinyBpe()
    : TinyBpe({{"h", "e"},
               {"l", "l"},
               {"he", "ll"},
               {"hell", "o"},
               {"\u0120", "hello"},
               {"#", "#"},
               {"##", "##"},
               {"#", "$"}}) {}

Json TinyBpe::vocabulary() const {
  Json ids = Json::object();
  int next = 0;
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) {
    ids[token] = next++;
  }
  for (int byte = 0; byte < 256; ++byte) ids[symbol(byte)] = next++;
  for (const auto& [left, right] : merges_) ids[left + right] = next++;
  ids["<mask>"] = next++;
  return ids;
}

std::string TinyBpe::vocab_json() const { return vocabulary().dump(); }

std::string TinyBpe::merges_txt() const {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : merges_) text += left + " " + right + "\n";
  return text;
}

Json TinyBpe::tokenizer_json(bool pairs) const {
  Json merges = Json::array();
  for (const auto& [left, right] : merges_) {
    if (pairs) {
      merges.push_back(Json::array({left, right}));
    } else {
      merges.push_back(left + " " + right);
    }
  }
  Json added = Json::array();
  const Json ids = vocabulary();
  for (const auto& [token, id] : ids.items()) {
    if (token.size() > 2 && token.front() == '<') {
      added.push_back(added_token(id.get<int>(), token));
    }
  }
  return {{"version", "1.0"},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer",
           {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true}}},
          {"post_processor",
           {{"type", "RobertaProcessing"},
            {"sep", Json::array({"</s>", 2})},
            {"cls", Json::array({"<s>", 0})},
            {"trim_offsets", true},
            {"add_prefix_space", false}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model", {{"type", "BPE"}, {"vocab", ids}, {"merges", merges}}}};
}

}  // namespace longformer::test
