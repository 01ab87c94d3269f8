// SPDX-License-Identifier: MIT
//
// What the forward and the backward pass of the window kernel share: a tile of
// queries walks over blocks of keys.
//
// Scores are kept transposed, a row per key and a column (a vector lane) per
// query. So maxima, sums, masks and normalisers of the softmax are all
// operations between whole vectors, and neither keys nor values need to be
// transposed: only the queries, once per tile. Products are limited to the
// band |query - key| <= window, rounded out to panels of a few rows.
//
// Internal linkage; see vector_avx512.h.
#pragma once

#include <cstdint>

#include "packed_rows.h"
#include "panel_product.h"
#include "window_kernel.h"

namespace longformer {
namespace {

constexpr std::int64_t kBlockKeys = 64;
/// Keys that share a block of random numbers.
constexpr std::int64_t kDrawKeys = 8;
constexpr float kLog2OfE = 1.44269504F;

/// Queries [first, first + kTileQueries), one a lane; those outside
/// [begin, end) are global or behind the document and count for nothing.
struct Tile {
  Tile(const WindowHead& head, std::int64_t index)
      : first(index * kTileQueries),
        begin(larger(first, head.globals)),
        end(smaller(first + kTileQueries, head.length)) {}

  std::int64_t lanes() const { return end - first; }

  std::int64_t first;
  std::int64_t begin;
  std::int64_t end;
};

/// Some keys that all or some queries of a tile see.
struct KeyBlock {
  std::int64_t first = 0;  ///< Token of the first key.
  std::int64_t count = 0;  ///< At most kBlockKeys.
  const float* key = nullptr;
  const float* value = nullptr;
  bool is_column = false;  ///< Global tokens.
  bool masked = false;     ///< Not all queries see all keys.
};

/// Keys that some queries see, and those among them that all queries see.
struct GroupRows {
  Range by_some;
  Range by_all;
};

/// Calls body.template operator()<masked>(rows) for the three parts.
template <class Body>
void for_each_part(const GroupRows& rows, const Body& body) {
  body.template operator()<true>(Range{rows.by_some.begin, rows.by_all.begin});
  body.template operator()<false>(rows.by_all);
  body.template operator()<true>(Range{rows.by_all.end, rows.by_some.end});
}

/// Calls body(block) for the global columns and then the window of a tile.
template <class V, class Body>
void for_each_block(const WindowHead& head, const Tile& tile,
                    KeyWindow<V>& keys, Body&& body) {
  static_assert(kBlockKeys <= KeyWindow<V>::kColumns);
  for (std::int64_t j = 0; j < head.globals; j += kBlockKeys) {
    const std::int64_t count = smaller(kBlockKeys, head.globals - j);
    keys.require_columns(j, count);
    body(KeyBlock{j, count, keys.column_key(), keys.column_value(), true,
                  false});
  }
  const std::int64_t begin = larger(head.globals, tile.begin - head.window);
  const std::int64_t end = smaller(head.length, tile.end + head.window);
  keys.require(begin, end);
  for (std::int64_t j = begin; j < end;) {
    // Blocks but the first begin where random numbers do.
    const std::int64_t next = smaller(end, j - j % kDrawKeys + kBlockKeys);
    const bool seen_by_all =
        j >= tile.end - 1 - head.window && next - 1 <= tile.begin + head.window;
    body(
        KeyBlock{j, next - j, keys.key(j), keys.value(j), false, !seen_by_all});
    j = next;
  }
}

/// Scratch memory and loops over one tile.
template <class V>
class TileBuffers {
 public:
  static constexpr std::int64_t kGroups = kTileQueries / V::kWidth;
  using Float = typename V::Float;
  using Mask = typename V::Mask;

  TileBuffers(const WindowHead& head, Scratch& scratch)
      : head_(head),
        padded_(padded_head_size<V>(head.head_size)),
        query_(scratch.take(kTileQueries * padded_)),
        query_transposed_(scratch.take(kTileQueries * padded_)),
        scores_(scratch.take(kBlockKeys * kTileQueries)) {}

  /// Groups of V::kWidth queries with at least one inside the document.
  static std::int64_t groups(const Tile& tile) {
    return round_up(tile.lanes(), V::kWidth) / V::kWidth;
  }

  /// The tile's rows times factor; those that count for nothing become 0.
  void load_rows(const Tile& tile, HeadRows tokens, float factor,
                 float* rows) const {
    const std::int64_t before = tile.begin - tile.first;
    for (std::int64_t i = 0; i < before * padded_; ++i) rows[i] = 0;
    pack_rows<V>(tokens, tile.begin, tile.end - tile.begin, head_.head_size,
                 factor, rows + before * padded_);
    for (std::int64_t i = tile.lanes() * padded_; i < kTileQueries * padded_;
         ++i) {
      rows[i] = 0;
    }
  }

  /// to[channel][query] = factor * rows[query][channel]
  void transpose(const float* rows, float factor, float* to) const {
    for (std::int64_t c = 0; c < padded_; c += V::kWidth) {
      for (std::int64_t r = 0; r < kTileQueries; r += V::kWidth) {
        V::transpose(rows + r * padded_ + c, padded_, factor,
                     to + c * kTileQueries + r, kTileQueries);
      }
    }
  }

  /// Scaled queries, and those times log2(e) transposed, so that 2^x serves as
  /// exponential. Both passes compute scores from the same numbers.
  void load_queries(const Tile& tile) {
    load_rows(tile, head_.query, head_.scale, query_);
    transpose(query_, kLog2OfE, query_transposed_);
  }

  /// The band of a block's products by key (rows are keys) or by query.
  Band band_by_key(const Tile& tile, const KeyBlock& block) const {
    return {block.first - tile.first, head_.window};
  }
  Band band_by_query(const Tile& tile, const KeyBlock& block) const {
    return {tile.first - block.first, head_.window};
  }

  /// to[key][query] = sum over channels of rows[key] right[channel][query]
  void multiply_keys(const Tile& tile, const KeyBlock& block, const float* rows,
                     const float* right, float* to) const {
    Product p;
    p.a = rows;
    p.a_stride = padded_;
    p.b = right;
    p.b_stride = kTileQueries;
    p.c = to;
    p.c_stride = kTileQueries;
    p.depth = head_.head_size;
    p.start = Start::kZero;
    const Band band = band_by_key(tile, block);
    multiply_band_columns<V>(block.count, groups(tile) * V::kWidth, p,
                             block.masked ? &band : nullptr);
  }

  /// Decides dropout for a block; see kept().
  void draw(const Tile& tile, const KeyBlock& block) {
    const std::int64_t begin = block.first / kDrawKeys;
    const std::int64_t end = round_up(block.first + block.count, kDrawKeys);
    for (std::int64_t group = begin; group < end / kDrawKeys; ++group) {
      const std::int64_t key = group * kDrawKeys;
      for (std::int64_t g = 0; g < groups(tile); ++g) {
        const std::int64_t query = tile.first + g * V::kWidth;
        if (block.masked && (key + kDrawKeys <= query - head_.window ||
                             key >= query + V::kWidth + head_.window)) {
          continue;
        }
        V::draw(head_.dropout, static_cast<std::uint32_t>(query),
                static_cast<std::uint32_t>(group),
                kept_ + (key - begin * kDrawKeys) * kGroups + g, kGroups);
      }
    }
  }
  /// kept(block)[r * kGroups + g]: bit l says whether lane l of group g keeps
  /// key r of the block.
  const std::uint16_t* kept(const KeyBlock& block) const {
    return kept_ + block.first % kDrawKeys * kGroups;
  }

  /// The rows of a block (its keys) that queries of group g see.
  GroupRows rows_of_group(const Tile& tile, const KeyBlock& block,
                          std::int64_t g) const {
    if (!block.masked) return {{0, block.count}, {0, block.count}};
    const Band band = band_by_query(tile, block);
    GroupRows rows;
    rows.by_some = band_range(&band, g * V::kWidth, V::kWidth, block.count);
    // A query fewer at either end of the group moves that end by a row.
    const Band inner{band.offset, head_.window - (V::kWidth - 1)};
    rows.by_all = band_range(&inner, g * V::kWidth, V::kWidth, block.count);
    if (rows.by_all.end <= rows.by_all.begin) {
      rows.by_all = {rows.by_some.end, rows.by_some.end};
    }
    return rows;
  }

  /// Zeroes the rows beside `rows` of one group's columns, which a panel of a
  /// banded product may read although no query of the group sees them.
  static void clear_beside(const KeyBlock& block, const Range& rows,
                           float* columns) {
    constexpr std::int64_t kPanelRows = 12;
    for (std::int64_t r = larger(0, rows.begin - kPanelRows); r < rows.begin;
         ++r) {
      V::store(columns + r * kTileQueries, V::zero());
    }
    const std::int64_t end = smaller(block.count, rows.end + kPanelRows);
    for (std::int64_t r = rows.end; r < end; ++r) {
      V::store(columns + r * kTileQueries, V::zero());
    }
  }

  /// Lanes of group g that see row r of a masked block.
  Mask seen(const Tile& tile, const KeyBlock& block, std::int64_t g,
            std::int64_t r) const {
    const std::int64_t distance =
        tile.first + g * V::kWidth - (block.first + r);
    return V::at_most(
        V::absolute(
            V::add(V::lanes(), V::broadcast(static_cast<float>(distance)))),
        V::broadcast(static_cast<float>(head_.window)));
  }

  const WindowHead& head_;
  std::int64_t padded_;
  float* query_;             ///< [query, channel]
  float* query_transposed_;  ///< [channel, query]
  float* scores_;            ///< [key, query], later probabilities.

 private:
  std::uint16_t kept_[(kBlockKeys + 2 * kDrawKeys) * kGroups];
};

}  // namespace
}  // namespace longformer
