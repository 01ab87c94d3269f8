// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longformer/base/strict_json.h"

#include "added_tokens.h"
#include "sentencepiece_model.h"
#include "tokenizer_config.h"
#include "tokenizer_json.h"
#include "unigram_model.h"

namespace longformer {

/// A SentencePiece unigram vocabulary as tokenizer.json describes it.
struct UnigramDefinition {
  std::vector<UnigramPiece> pieces;  ///< By id.
  std::int32_t unknown = 0;
  std::string charsmap;  ///< Compiled normalisation rules; may be empty.
  /// Whether the first piece of each word starts with U+2581.
  bool mark_words = true;
  std::vector<AddedToken> added_tokens;
  PostProcessor post_processor;
  std::string file;
};

/// Reads a tokenizer.json whose model is Unigram and which cuts words at white
/// space, as XLMRobertaTokenizer does. Throws ModelError, also for settings
/// that this program does not implement.
UnigramDefinition read_unigram_json(const Json& root, const std::string& path,
                                    const TokenizerConfig& config);

/// tokenizer.json of a SentencePiece unigram model in the XLM-R id layout.
std::string xlmr_tokenizer_json(const SentencePieceModel& model);

}  // namespace longformer
