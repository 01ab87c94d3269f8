// SPDX-License-Identifier: MIT
#include "longformer/data/packed_batch.h"

#include <limits>
#include <stdexcept>

namespace longformer {
namespace {

std::int64_t checked_total(const Dataset& dataset,
                           std::span<const PlannedDocument> documents) {
  std::int64_t total = 0;
  for (const PlannedDocument& document : documents) {
    total += dataset.length(document.row);
  }
  if (total > std::numeric_limits<std::int32_t>::max()) {
    throw std::length_error("a packed batch of " + std::to_string(total) +
                            " tokens: more than 2^31 - 1");
  }
  return total;
}

void append_targets(const Dataset& dataset, std::int64_t row,
                    PackedBatch& batch) {
  batch.weights.push_back(dataset.weight(row));
  if (!dataset.has_targets()) return;
  const auto values = dataset.values(row);
  if (values.empty()) {
    batch.class_ids.push_back(dataset.class_id(row));
  } else {
    batch.values.insert(batch.values.end(), values.begin(), values.end());
  }
}

}  // namespace

void append_position_ids(std::span<const std::int32_t> ids,
                         std::int32_t pad_token_id,
                         std::vector<std::int64_t>& positions) {
  std::int64_t position = pad_token_id;
  for (const std::int32_t id : ids) {
    positions.push_back(id == pad_token_id ? pad_token_id : ++position);
  }
}

PackedBatch pack(const Dataset& dataset,
                 std::span<const PlannedDocument> documents) {
  const auto total =
      static_cast<std::size_t>(checked_total(dataset, documents));
  PackedBatch batch;
  batch.token_ids.reserve(total);
  batch.position_ids.reserve(total);
  batch.document_offsets.push_back(0);
  const bool scattered = dataset.has_scattered_globals();
  if (scattered) batch.global_offsets.push_back(0);
  for (const PlannedDocument& document : documents) {
    const std::int64_t row = document.row;
    const auto ids = dataset.tokens(row);
    batch.token_ids.insert(batch.token_ids.end(), ids.begin(), ids.end());
    append_position_ids(ids, dataset.columns().options.pad_token_id,
                        batch.position_ids);
    const auto types = dataset.token_types(row);
    batch.token_type_ids.insert(batch.token_type_ids.end(), types.begin(),
                                types.end());
    batch.document_offsets.push_back(
        static_cast<std::int32_t>(batch.token_ids.size()));
    batch.global_prefix.push_back(dataset.global_prefix(row));
    if (scattered) {
      const auto globals = dataset.global_tokens(row);
      batch.global_tokens.insert(batch.global_tokens.end(), globals.begin(),
                                 globals.end());
      batch.global_offsets.push_back(
          static_cast<std::int32_t>(batch.global_tokens.size()));
    }
    batch.document_index.push_back(document.batch_index);
    batch.dataset_row.push_back(row);
    append_targets(dataset, row, batch);
  }
  return batch;
}

PackedBatch pack(const Dataset& dataset, const EvaluationGroup& group) {
  std::vector<PlannedDocument> documents;
  for (std::int64_t row = group.begin; row < group.end; ++row) {
    documents.push_back({static_cast<std::int32_t>(row), row});
  }
  return pack(dataset, documents);
}

double total_weight(const Dataset& dataset,
                    std::span<const std::int64_t> rows) {
  double total = 0;
  for (const std::int64_t row : rows) total += dataset.weight(row);
  return total;
}

}  // namespace longformer
