// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

#include "added_tokens.h"
#include "sentencepiece_model.h"
#include "tokenizer_config.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace longformer {

/// How pieces of a SentencePiece model are numbered.
enum class IdLayout {
  kPlain,  ///< As in the model.
  /// `<s>` 0, `<pad>` 1, `</s>` 2, `<unk>` 3, then the model's pieces from its
  /// fourth on, each one higher than there, and `<mask>` last.
  kXlmr,
};

/// A model file alone, encoded by the SentencePiece library.
class SentencePieceTokenizer : public Tokenizer {
 public:
  /// `model_file`: the content of the model; `where` begins the messages.
  /// `files` are what save() writes. Throws ModelError.
  SentencePieceTokenizer(std::string_view model_file, const std::string& where,
                         IdLayout layout, const TokenizerConfig& config,
                         const TokenizerOptions& options,
                         std::vector<TokenizerFile> files);
  ~SentencePieceTokenizer() override;

  std::string description() const override;
  std::string decode(std::span<const std::int32_t> ids,
                     bool skip_special) const override;
  std::int32_t token_id(std::string_view token) const override;
  std::string token_text(std::int32_t id) const override;

 private:
  void tokenize(std::string_view text, std::vector<std::int32_t>& ids,
                std::vector<Span>* spans) const override;
  void encode_ids(std::string_view text, std::vector<std::int32_t>& ids) const;
  void encode_spans(std::string_view text, std::size_t position,
                    class CodePointCounter& counter,
                    std::vector<std::int32_t>& ids,
                    std::vector<Span>& spans) const;
  std::int32_t id_of_piece(int piece) const;

  void add_pieces(const SentencePieceModel& model, const std::string& where);
  void add_special(const TokenizerConfig& config, const std::string& where,
                   const TokenizerOptions& options,
                   const SentencePieceModel& model);

  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  IdLayout layout_;
  int unknown_piece_ = 0;
  bool separable_ = false;
  bool is_unigram_ = true;
  std::vector<std::string> texts_;  ///< By id.
  std::vector<bool> special_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::unique_ptr<AddedTokenFinder> finder_;
};

}  // namespace longformer
