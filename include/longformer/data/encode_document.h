// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longformer/data/record.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// Which tokens attend globally when a record does not say.
enum class GlobalPolicy {
  kNone,
  kFirstToken,    ///< `<s>`: sequence classification.
  kFirstSegment,  ///< Everything before the first text ends: questions.
};

/// What the model and the run demand of a document.
struct EncodeOptions {
  /// Longest document in tokens, special tokens included; longer ones are cut.
  std::int64_t max_length = 0;
  /// Rows of the model's tables; ids are checked against them.
  std::int64_t vocab_size = 0;
  std::int64_t type_vocab_size = 1;
  std::int64_t max_position_embeddings = 0;
  std::int32_t pad_token_id = 1;
  GlobalPolicy global_policy = GlobalPolicy::kFirstToken;

  bool operator==(const EncodeOptions&) const = default;
};

/// max_position_embeddings - pad_token_id - 1: position ids start at
/// pad_token_id + 1.
std::int64_t usable_length(const EncodeOptions& options);

/// Throws ConfigError naming the usable length if max_length is not in
/// [1, usable_length], or if a size makes no sense.
void check_encode_options(const EncodeOptions& options);

/// A document as ids.
struct EncodedDocument {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> token_types;  ///< Empty: all 0.
  /// Leading tokens that attend globally, if `global_positions` is unset.
  std::int32_t global_prefix = 0;
  /// Ascending; only when the global tokens are not a prefix.
  std::optional<std::vector<std::int32_t>> global_positions;
  std::int64_t cut_tokens = 0;    ///< Dropped to fit max_length.
  std::int64_t lost_globals = 0;  ///< Global positions dropped with them.
};

/// Tokenises and checks one record. `tokenizer` may be null for records with
/// input_ids.
///
/// Too long a text is cut as the tokenizer's template demands; too long
/// input_ids keep their first max_length - 1 ids and the last one (the final
/// `</s>`). Global positions that were cut away are dropped; where none is left
/// the default applies (global_policy).
///
/// Throws DataError with the reason alone (the caller adds file and row): an id
/// outside the vocabulary, a position outside the document, an empty document,
/// text without tokenizer.
/// Threads: may be called from several at a time.
EncodedDocument encode_document(const Record& record,
                                const Tokenizer* tokenizer,
                                const EncodeOptions& options);

}  // namespace longformer
