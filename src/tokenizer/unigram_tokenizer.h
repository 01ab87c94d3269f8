// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

#include "added_tokens.h"
#include "normalizer.h"
#include "unigram_definition.h"
#include "unigram_model.h"

namespace longformer {

/// XLMRobertaTokenizer of transformers 5: text is normalised if there are
/// rules, cut at white space, and every word, marked with U+2581 in front, is
/// cut into pieces by itself.
class UnigramTokenizer : public Tokenizer {
 public:
  /// `files` are what save() writes. Throws ModelError if the definition
  /// contradicts itself.
  UnigramTokenizer(UnigramDefinition definition, const TokenizerConfig& config,
                   const TokenizerOptions& options,
                   std::vector<TokenizerFile> files);

  std::string description() const override;
  std::string decode(std::span<const std::int32_t> ids,
                     bool skip_special) const override;
  std::int32_t token_id(std::string_view token) const override;
  std::string token_text(std::int32_t id) const override;

 private:
  class Writer;

  void tokenize(std::string_view text, std::vector<std::int32_t>& ids,
                std::vector<Span>* spans) const override;
  void tokenize_words(std::string_view text, Writer& writer) const;
  void tokenize_word(std::string_view text, std::size_t begin, std::size_t end,
                     Writer& writer) const;
  void add_tokens(const std::vector<AddedToken>& tokens,
                  const std::string& where);

  std::vector<std::string> texts_;  ///< By id.
  std::vector<bool> special_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::unique_ptr<AddedTokenFinder> finder_;
  std::unique_ptr<AddedTokenFinder> normalized_finder_;
  std::unique_ptr<GraphemeNormalizer> normalizer_;
  std::unique_ptr<UnigramModel> model_;
  bool mark_words_ = true;
};

}  // namespace longformer
