// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

#include "added_tokens.h"
#include "bpe_definition.h"
#include "bpe_merger.h"
#include "code_points.h"

namespace longformer {

/// The tokenizer of GPT-2 and RoBERTa: added tokens are split off, the rest is
/// cut into words, and the bytes of each word are merged.
class ByteLevelBpe : public Tokenizer {
 public:
  /// `files` are what save() writes. Throws ModelError if the definition
  /// contradicts itself.
  ByteLevelBpe(BpeDefinition definition, const TokenizerConfig& config,
               const TokenizerOptions& options,
               std::vector<TokenizerFile> files);

  std::string description() const override;
  std::string decode(std::span<const std::int32_t> ids,
                     bool skip_special) const override;
  std::int32_t token_id(std::string_view token) const override;
  std::string token_text(std::int32_t id) const override;

 private:
  struct Token {
    std::string text;   ///< As in the vocabulary.
    std::string bytes;  ///< What it stands for in a text.
    std::uint32_t leading_spaces = 0;
    std::uint32_t trailing_spaces = 0;
    bool exists = false;
    bool special = false;
  };

  void tokenize(std::string_view text, std::vector<std::int32_t>& ids,
                std::vector<Span>* spans) const override;
  void tokenize_stretch(std::string_view text, std::size_t begin,
                        std::size_t end, CodePointCounter& counter,
                        std::vector<std::int32_t>& ids,
                        std::vector<Span>* spans) const;
  void add_spans(std::size_t begin, std::size_t prefix, std::size_t first_id,
                 const std::vector<std::uint32_t>& bytes,
                 CodePointCounter& counter,
                 const std::vector<std::int32_t>& ids,
                 std::vector<Span>& spans) const;

  void add_vocabulary(const BpeDefinition& definition);
  void add_added_tokens(const std::vector<AddedToken>& tokens,
                        const std::string& where);
  void make_finders(const std::vector<AddedToken>& tokens,
                    bool special_tokens_in_text);
  void make_merger(const BpeDefinition& definition);

  std::vector<Token> tokens_;  ///< By id.
  std::unordered_map<std::string, std::int32_t> ids_;
  std::size_t num_merges_ = 0;
  std::unique_ptr<AddedTokenFinder> finder_;
  std::unique_ptr<AddedTokenFinder> normalized_finder_;
  std::unique_ptr<BpeMerger> merger_;
  bool add_prefix_space_ = false;
  bool split_words_ = true;
};

}  // namespace longformer
