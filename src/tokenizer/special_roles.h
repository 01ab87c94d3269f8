// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

#include "tokenizer_config.h"

namespace longformer {

/// The ids of the roles that `config` names; where it names none, of `<s>`,
/// `</s>`, `<pad>`, `<unk>` and `<mask>`. The template decides about cls and
/// sep where it has them. `id_of` gives -1 for unknown tokens.
SpecialTokens find_special_tokens(
    const TokenizerConfig& config, const TokenTemplate& tokens,
    const std::function<std::int32_t(std::string_view)>& id_of);

/// `<s> A </s>` and `<s> A </s></s> B </s>` with the cls and sep tokens of
/// `special`: what the classes of RoBERTa and XLM-R do whatever tokenizer.json
/// says. Throws ModelError if there are no such tokens.
TokenTemplate roberta_template(const SpecialTokens& special,
                               const std::string& where);

/// The roles of special tokens with the added tokens that fill them.
std::vector<std::pair<std::string, AddedToken>> roles_of(
    const SpecialTokens& special, const std::vector<AddedToken>& added);

/// Throws ModelError if the template holds an id that is not below
/// `vocabulary_size`.
void check_template(const TokenTemplate& tokens, std::int64_t vocabulary_size,
                    const std::string& where);

}  // namespace longformer
