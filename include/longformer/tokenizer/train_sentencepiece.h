// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace longformer {

struct SentencePieceTraining {
  /// Number of ids, special tokens included: the rows of the embedding table.
  std::int64_t vocabulary_size = 8000;
  /// "unigram" or "bpe".
  std::string model_type = "unigram";
  /// Numbers pieces as XLM-R does (`<s>` 0, `<pad>` 1, `</s>` 2, `<unk>` 3,
  /// pieces, `<mask>`), so that `AutoTokenizer` opens the directory; unigram
  /// only. Otherwise as SentencePiece does.
  bool xlmr_layout = true;
  /// Share of the characters of the training text that get a piece.
  double character_coverage = 0.9995;
  /// Lines drawn at random (always the same ones) when there are more; 0: 25
  /// for each token of the vocabulary, but at least 100,000. The library needs
  /// about 15 s of CPU time for each 100,000 lines of source code.
  std::int64_t max_lines = 0;
  /// Where the texts come from, for messages.
  std::string text_name = "the texts";
  /// Written to tokenizer_config.json; 0 leaves it out.
  std::int64_t model_max_length = 0;
};

/// Stores the next text in its argument; false when there are no more.
using TextSource = std::function<bool(std::string&)>;

/// Trains a SentencePiece vocabulary on texts of any length and writes the
/// files of a tokenizer directory, which appears when it is complete. Anything
/// but an empty folder in its place is an error before the training.
///
/// Texts are cut into lines, and lines at blanks to the longest that the
/// library accepts; nothing is dropped for its length. White space of every
/// kind counts as a blank; apart from that the text is not normalised, so that
/// nothing is lost, and so that transformers gives the same ids (its
/// normaliser works differently from SentencePiece's).
///
/// The result depends on the texts and settings only, not on the machine or
/// its number of processors.
///
/// Throws ConfigError if the settings do not go together or the texts cannot
/// give so large (or so small) a vocabulary, with the sizes that are possible;
/// DataError if there is no text; SystemError when writing fails. What
/// `next_text` throws passes through. Memory: some 20 times the text.
void train_sentencepiece(const SentencePieceTraining& settings,
                         const TextSource& next_text,
                         const std::string& directory);

}  // namespace longformer
