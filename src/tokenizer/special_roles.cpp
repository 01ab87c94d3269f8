// SPDX-License-Identifier: MIT
#include "special_roles.h"

#include "longformer/base/error.h"

namespace longformer {

SpecialTokens find_special_tokens(
    const TokenizerConfig& config, const TokenTemplate& tokens,
    const std::function<std::int32_t(std::string_view)>& id_of) {
  const auto find = [&](const char* role, std::string_view otherwise) {
    const auto named = config.roles.find(role);
    return id_of(named == config.roles.end() ? otherwise
                                             : named->second.content);
  };
  SpecialTokens special;
  special.bos = find("bos_token", "<s>");
  special.eos = find("eos_token", "</s>");
  special.sep = find("sep_token", "</s>");
  special.cls = find("cls_token", "<s>");
  special.pad = find("pad_token", "<pad>");
  special.unk = find("unk_token", "<unk>");
  special.mask = find("mask_token", "<mask>");
  if (tokens.before.size() == 1) special.cls = tokens.before[0];
  if (tokens.after.size() == 1) special.sep = tokens.after[0];
  return special;
}

TokenTemplate roberta_template(const SpecialTokens& special,
                               const std::string& where) {
  const std::int32_t cls = special.cls;
  const std::int32_t sep = special.sep;
  if (cls < 0 || sep < 0) {
    throw ModelError(where + ": has no token \"" + (cls < 0 ? "<s>" : "</s>") +
                     "\", which begins or ends every text; name the special "
                     "tokens in tokenizer_config.json");
  }
  return {{cls}, {sep}, {cls}, {sep, sep}, {sep}};
}

std::vector<std::pair<std::string, AddedToken>> roles_of(
    const SpecialTokens& special, const std::vector<AddedToken>& added) {
  const std::pair<const char*, std::int32_t> ids[] = {
      {"bos_token", special.bos},  {"eos_token", special.eos},
      {"sep_token", special.sep},  {"cls_token", special.cls},
      {"pad_token", special.pad},  {"unk_token", special.unk},
      {"mask_token", special.mask}};
  std::vector<std::pair<std::string, AddedToken>> roles;
  for (const auto& [role, id] : ids) {
    for (const AddedToken& token : added) {
      if (token.id == id && id >= 0) roles.emplace_back(role, token);
    }
  }
  return roles;
}

void check_template(const TokenTemplate& tokens, std::int64_t vocabulary_size,
                    const std::string& where) {
  for (const auto* side : {&tokens.before, &tokens.after, &tokens.pair_before,
                           &tokens.pair_between, &tokens.pair_after}) {
    for (const std::int32_t id : *side) {
      if (id >= 0 && id < vocabulary_size) continue;
      throw ModelError(where + ": the template uses id " + std::to_string(id) +
                       ", but ids go up to " +
                       std::to_string(vocabulary_size - 1));
    }
  }
}

}  // namespace longformer
