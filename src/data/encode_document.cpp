// SPDX-License-Identifier: MIT
#include "longformer/data/encode_document.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {
namespace {

void check_ids(const std::vector<std::int32_t>& ids,
               const EncodeOptions& options) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < options.vocab_size) continue;
    throw DataError(
        "token id " + std::to_string(ids[i]) + " at position " +
        std::to_string(i) + " is not below the model's vocab_size of " +
        std::to_string(options.vocab_size) +
        "; use the tokenizer that belongs to the model, or fix the row");
  }
}

void check_token_types(const std::vector<std::int32_t>& types,
                       std::size_t num_ids, const EncodeOptions& options) {
  if (!types.empty() && types.size() != num_ids) {
    throw DataError("token_type_ids has " + std::to_string(types.size()) +
                    " elements but input_ids has " + std::to_string(num_ids) +
                    "; there must be one for each");
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] >= 0 && types[i] < options.type_vocab_size) continue;
    throw DataError("token type " + std::to_string(types[i]) + " at position " +
                    std::to_string(i) +
                    " is not below the model's type_vocab_size of " +
                    std::to_string(options.type_vocab_size) +
                    "; fix the row or leave token_type_ids out");
  }
}

/// Drops what does not fit but keeps the last element (the final `</s>`).
void cut_keeping_last(std::vector<std::int32_t>& values,
                      std::int64_t max_length) {
  const auto limit = static_cast<std::size_t>(max_length);
  if (values.size() <= limit) return;
  values[limit - 1] = values.back();
  values.resize(limit);
}

/// `positions` of a document of `total` tokens as positions of the `kept` ones:
/// its beginning and, with `ends_alike`, its last token.
std::vector<std::int32_t> kept_positions(
    const std::vector<std::int32_t>& positions, std::int64_t total,
    std::int64_t kept, bool ends_alike) {
  std::vector<std::int32_t> result;
  for (const std::int32_t position : positions) {
    if (position < 0 || position >= total) {
      throw DataError("global_attention position " + std::to_string(position) +
                      " lies outside the document of " + std::to_string(total) +
                      " tokens (positions count from 0); fix the row");
    }
    if (position < (ends_alike ? kept - 1 : kept)) {
      result.push_back(position);
    } else if (ends_alike && position == total - 1) {
      result.push_back(static_cast<std::int32_t>(kept - 1));
    }
  }
  return result;
}

/// Stores positions 0 ... k-1 as the prefix k.
void set_globals(std::vector<std::int32_t> positions,
                 EncodedDocument& document) {
  const auto count = static_cast<std::int32_t>(positions.size());
  if (count == 0 || positions.back() == count - 1) {
    document.global_prefix = count;
    return;
  }
  document.global_positions = std::move(positions);
}

std::int32_t first_segment(const Encoding& encoding) {
  const auto& sequence = encoding.sequence;
  std::size_t end = 0;
  while (end < sequence.size() && sequence[end] != 0) ++end;
  if (end == sequence.size()) return 1;  // An empty first text.
  while (end < sequence.size() && sequence[end] == 0) ++end;
  return static_cast<std::int32_t>(end);
}

Encoding encode_text(const Record& record, const Tokenizer* tokenizer,
                     const EncodeOptions& options) {
  if (tokenizer == nullptr) {
    throw DataError(
        "the row holds text, but the model has no tokenizer; give one with "
        "the option tokenizer, or rows with input_ids");
  }
  EncodeSettings settings;
  settings.max_length = options.max_length;
  std::optional<std::string_view> pair;
  if (record.text_pair) pair = *record.text_pair;
  return tokenizer->encode(record.text, pair, settings);
}

void set_default_globals(const Encoding* encoding, const EncodeOptions& options,
                         EncodedDocument& document) {
  switch (options.global_policy) {
    case GlobalPolicy::kNone:
      break;
    case GlobalPolicy::kFirstToken:
      document.global_prefix = 1;
      break;
    case GlobalPolicy::kFirstSegment:
      if (encoding == nullptr) {
        throw DataError(
            "a row with input_ids must say with global_attention which "
            "tokens belong to the question");
      }
      document.global_prefix = first_segment(*encoding);
      break;
  }
}

}  // namespace

std::int64_t usable_length(const EncodeOptions& options) {
  return options.max_position_embeddings - options.pad_token_id - 1;
}

void check_encode_options(const EncodeOptions& options) {
  if (options.vocab_size < 1 || options.type_vocab_size < 1 ||
      options.pad_token_id < 0 || usable_length(options) < 1) {
    throw ConfigError(
        "vocab_size " + std::to_string(options.vocab_size) +
        ", type_vocab_size " + std::to_string(options.type_vocab_size) +
        ", max_position_embeddings " +
        std::to_string(options.max_position_embeddings) + " and pad_token_id " +
        std::to_string(options.pad_token_id) +
        " leave no room for a document; fix the model's config.json");
  }
  if (options.max_length < 1 || options.max_length > usable_length(options)) {
    throw ConfigError(
        "max_length " + std::to_string(options.max_length) +
        " does not suit the model: documents may have 1 to " +
        std::to_string(usable_length(options)) +
        " tokens (max_position_embeddings " +
        std::to_string(options.max_position_embeddings) + " - pad_token_id " +
        std::to_string(options.pad_token_id) +
        " - 1); lower max_length or lengthen the model with convert");
  }
}

EncodedDocument encode_document(const Record& record,
                                const Tokenizer* tokenizer,
                                const EncodeOptions& options) {
  EncodedDocument document;
  Encoding encoding;
  std::int64_t total = 0;
  const bool is_text = !record.input_ids.has_value();
  if (is_text) {
    encoding = encode_text(record, tokenizer, options);
    document.ids = std::move(encoding.ids);
    total = encoding.total_tokens;
    check_ids(document.ids, options);
  } else {
    document.ids = *record.input_ids;
    document.token_types = record.token_type_ids;
    total = static_cast<std::int64_t>(document.ids.size());
    check_ids(document.ids, options);
    check_token_types(document.token_types, document.ids.size(), options);
    cut_keeping_last(document.ids, options.max_length);
    cut_keeping_last(document.token_types, options.max_length);
  }
  const auto kept = static_cast<std::int64_t>(document.ids.size());
  if (kept == 0) {
    throw DataError(
        is_text ? "the text gives no token at all; leave the row out"
                : "input_ids is empty; a document needs at least one token");
  }
  document.cut_tokens = total - kept;
  bool all_lost = false;
  if (record.global_attention) {
    if (record.text_pair && is_text && kept < total) {
      throw DataError(
          "global_attention names places in a pair of texts that had to be cut "
          "to " +
          std::to_string(kept) + " of " + std::to_string(total) +
          " tokens; raise max_length or shorten the texts");
    }
    // A template without a final token leaves a text's own token last.
    const bool ends_alike = !is_text || encoding.sequence.back() < 0;
    auto positions =
        kept_positions(*record.global_attention, total, kept, ends_alike);
    document.lost_globals = static_cast<std::int64_t>(
        record.global_attention->size() - positions.size());
    all_lost = document.lost_globals > 0 && positions.empty();
    set_globals(std::move(positions), document);
  }
  if (!record.global_attention || all_lost) {
    set_default_globals(is_text ? &encoding : nullptr, options, document);
  }
  return document;
}

}  // namespace longformer
