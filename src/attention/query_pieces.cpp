// SPDX-License-Identifier: MIT
#include "query_pieces.h"

#include <algorithm>

#include "window_kernel.h"

namespace longformer {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

QueryPieces::QueryPieces(
    const PackedLayout& layout, std::int64_t num_heads,
    const std::function<std::int64_t(std::int64_t document)>& tiles_per_piece)
    : num_heads_(num_heads) {
  documents_.reserve(static_cast<std::size_t>(layout.num_documents() + 1));
  Document next;
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    next.first_tile = layout.globals(b).count() / kTileQueries;
    next.tiles_per_piece = tiles_per_piece(b);
    documents_.push_back(next);
    if (layout.globals(b).count() < layout.length(b)) {
      const std::int64_t end_tile = divide_up(layout.length(b), kTileQueries);
      next.tile += end_tile - next.first_tile;
      next.piece += divide_up(end_tile, next.tiles_per_piece) -
                    next.first_tile / next.tiles_per_piece;
    }
  }
  documents_.push_back(next);
}

std::int64_t QueryPieces::tiles_per_head(std::int64_t document) const {
  const auto d = documents_.begin() + document;
  return (d + 1)->tile - d->tile;
}

std::int64_t QueryPieces::pieces_per_head(std::int64_t document) const {
  const auto d = documents_.begin() + document;
  return (d + 1)->piece - d->piece;
}

std::int64_t QueryPieces::first_number(std::int64_t document,
                                       std::int64_t head) const {
  return num_heads_ * documents_[static_cast<std::size_t>(document)].piece +
         head * pieces_per_head(document);
}

QueryPiece QueryPieces::operator[](std::int64_t number) const {
  // The last document that begins at or before the number; documents without
  // pieces lie before it.
  const auto after =
      std::upper_bound(documents_.begin(), documents_.end(), number,
                       [this](std::int64_t n, const Document& d) {
                         return n < num_heads_ * d.piece;
                       });
  QueryPiece piece;
  piece.document = after - documents_.begin() - 1;
  const Document& document = *(after - 1);
  const std::int64_t pieces = pieces_per_head(piece.document);
  const std::int64_t within = number - num_heads_ * document.piece;
  piece.head = within / pieces;
  const std::int64_t place = within % pieces;
  piece.is_first = place == 0;
  piece.is_last = place == pieces - 1;
  piece.index = document.first_tile / document.tiles_per_piece + place;
  piece.first_tile =
      std::max(document.first_tile, piece.index * document.tiles_per_piece);
  piece.end_tile =
      std::min(document.first_tile + tiles_per_head(piece.document),
               (piece.index + 1) * document.tiles_per_piece);
  return piece;
}

/// The first piece that begins at or behind a tile, all tiles numbered like
/// the pieces.
std::int64_t QueryPieces::number_at_tile(std::int64_t tile) const {
  const auto after =
      std::upper_bound(documents_.begin(), documents_.end(), tile,
                       [this](std::int64_t t, const Document& d) {
                         return t < num_heads_ * d.tile;
                       });
  if (after == documents_.end()) return count();
  const std::int64_t b = after - documents_.begin() - 1;
  const Document& document = *(after - 1);
  const std::int64_t tiles = tiles_per_head(b);
  const std::int64_t within = tile - num_heads_ * document.tile;
  const std::int64_t first = first_number(b, within / tiles);
  if (within % tiles == 0) return first;
  return first +
         divide_up(document.first_tile + within % tiles,
                   document.tiles_per_piece) -
         document.first_tile / document.tiles_per_piece;
}

std::vector<std::int64_t> QueryPieces::split(std::int64_t parts) const {
  const std::int64_t tiles = num_heads_ * documents_.back().tile;
  std::vector<std::int64_t> cuts{0};
  for (std::int64_t part = 1; part <= parts; ++part) {
    const std::int64_t cut = number_at_tile(tiles * part / parts);
    if (cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace longformer
