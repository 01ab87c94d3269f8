// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "longformer/attention/packed_layout.h"

namespace longformer {

/// Consecutive tiles of queries of one head of one document.
struct QueryPiece {
  std::int64_t document = 0;
  std::int64_t head = 0;
  /// Counts pieces from the document's first token, global or not.
  std::int64_t index = 0;
  std::int64_t first_tile = 0;
  std::int64_t end_tile = 0;
  bool is_first = false;  ///< No piece of this head comes before it.
  bool is_last = false;
};

/// The local queries of a batch, cut into pieces and numbered: by document,
/// then head, then position. Where the cuts are depends on each document
/// alone, so that what is added up per piece does not depend on the number of
/// threads or on the rest of the batch.
class QueryPieces {
 public:
  /// tiles_per_piece(document): a document's piece i holds its tiles from
  /// i * tiles_per_piece on, without those that are wholly global.
  QueryPieces(const PackedLayout& layout, std::int64_t num_heads,
              const std::function<std::int64_t(std::int64_t document)>&
                  tiles_per_piece);

  std::int64_t count() const { return num_heads_ * documents_.back().piece; }
  QueryPiece operator[](std::int64_t number) const;
  /// The first piece of a head, or where it would be if it has none.
  std::int64_t first_number(std::int64_t document, std::int64_t head) const;
  std::int64_t pieces_per_head(std::int64_t document) const;

  /// Numbers that cut all pieces into at most `parts` consecutive parts with
  /// about the same number of tiles, none empty: [parts + 1].
  std::vector<std::int64_t> split(std::int64_t parts) const;

 private:
  struct Document {
    std::int64_t tile = 0;   ///< Tiles of one head in earlier documents.
    std::int64_t piece = 0;  ///< Pieces of one head in earlier documents.
    std::int64_t first_tile = 0;
    std::int64_t tiles_per_piece = 1;
  };

  std::int64_t tiles_per_head(std::int64_t document) const;
  std::int64_t number_at_tile(std::int64_t tile) const;

  std::int64_t num_heads_;
  std::vector<Document> documents_;  ///< And one behind the last.
};

}  // namespace longformer
