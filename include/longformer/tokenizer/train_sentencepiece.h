// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace longformer {

struct SentencePieceTraining {
  /// Number of ids, the special tokens `<s>`, `<pad>`, `</s>`, `<unk>` and
  /// `<mask>` included: the rows of the embedding table.
  std::int64_t vocabulary_size = 8000;
  /// "unigram" or "bpe".
  std::string model_type = "unigram";
  /// Share of the characters of the training text that get a piece.
  double character_coverage = 0.9995;
  /// Sentences drawn at random (by a fixed seed) when there are more.
  std::int64_t max_sentences = 1000000;
  /// Changes speed only, not the result.
  int threads = 1;
  /// Written to tokenizer_config.json; 0 leaves it out.
  std::int64_t model_max_length = 0;
};

/// Stores the next text in its argument; false when there are no more.
using TextSource = std::function<bool(std::string&)>;

/// Trains a SentencePiece vocabulary on texts of any length and writes a
/// Hugging Face tokenizer directory (made if absent) in the XLM-R id layout:
/// `AutoTokenizer` opens it as XLMRobertaTokenizer with the ids of
/// load_tokenizer. Texts are cut at line ends and at blanks to the library's
/// longest sentence; no text is dropped for its length.
///
/// Throws ConfigError if the texts cannot give so large (or so small) a
/// vocabulary, naming the possible size; SystemError when writing fails.
void train_sentencepiece(const SentencePieceTraining& settings,
                         const TextSource& next_text,
                         const std::string& directory);

}  // namespace longformer
