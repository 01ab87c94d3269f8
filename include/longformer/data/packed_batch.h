// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longformer/data/batch_planner.h"
#include "longformer/data/dataset.h"

namespace longformer {

/// Documents one after another, without padding. T tokens, B documents, L
/// labels. Plain memory: `train` makes tensors of it.
struct PackedBatch {
  std::vector<std::int64_t> token_ids;       ///< [T]
  std::vector<std::int64_t> position_ids;    ///< [T]
  std::vector<std::int64_t> token_type_ids;  ///< [T], or empty: all 0.
  /// [B + 1]; document b is tokens [offsets[b], offsets[b + 1]).
  std::vector<std::int32_t> document_offsets;
  std::vector<std::int32_t> global_prefix;  ///< [B] leading global tokens.
  /// Only when some document's global tokens are not a prefix: places within
  /// the document, ascending; document b has
  /// [global_offsets[b], global_offsets[b + 1]).
  std::vector<std::int32_t> global_tokens;
  std::vector<std::int32_t> global_offsets;
  std::vector<std::int32_t> document_index;  ///< [B] place in global batch.
  std::vector<std::int64_t> dataset_row;     ///< [B]
  std::vector<std::int32_t> class_ids;       ///< [B], single-label only.
  std::vector<float> values;                 ///< [B * L], the other kinds.
  std::vector<double> weights;               ///< [B]; of the loss.

  std::int64_t num_tokens() const {
    return static_cast<std::int64_t>(token_ids.size());
  }
  std::int64_t num_documents() const {
    return static_cast<std::int64_t>(dataset_row.size());
  }
};

/// Position of a token = pad_token_id + number of tokens other than the padding
/// id up to and including it; the padding id inside a text has position
/// pad_token_id and does not count. Appends one position per id.
void append_position_ids(std::span<const std::int32_t> ids,
                         std::int32_t pad_token_id,
                         std::vector<std::int64_t>& positions);

/// Concatenates documents. Targets are filled in if the data set has them.
/// Throws std::length_error for more than 2^31 - 1 tokens.
PackedBatch pack(const Dataset& dataset,
                 std::span<const PlannedDocument> documents);

/// The same for rows [begin, end) of an evaluation; document_index is the row.
PackedBatch pack(const Dataset& dataset, const EvaluationGroup& group);

/// Sum of the weights of `rows`: W in the loss of a step, the same on every
/// rank.
double total_weight(const Dataset& dataset, std::span<const std::int64_t> rows);

}  // namespace longformer
