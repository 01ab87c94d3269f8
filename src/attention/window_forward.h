// SPDX-License-Identifier: MIT
//
// Forward pass of the window kernel: softmax(Q K^T) V over blocks of keys with
// a running maximum (Milakov & Gimelshein 2018, arXiv:1805.02867), so that no
// more than one block of scores exists. Internal linkage; see vector_avx512.h.
#pragma once

#include <cstdint>

#include "window_tiles.h"

namespace longformer {
namespace {

template <class V>
class ForwardTiles {
 public:
  ForwardTiles(const WindowHead& head, const WindowForwardResult& result,
               Scratch scratch)
      : head_(head),
        result_(result),
        buffers_(head, scratch),
        keys_(head, packed_, scratch),
        output_(scratch.take(kTileQueries * buffers_.padded_)),
        scratch_floats_(scratch.used()) {}

  std::int64_t scratch_floats() const { return scratch_floats_; }

  void compute(std::int64_t index) {
    const Tile tile(head_, index);
    buffers_.load_queries(tile);
    for (std::int64_t q = 0; q < kTileQueries; ++q) {
      largest_[q] = kLowest;
      total_[q] = 0;
    }
    bool is_first = true;
    for_each_block(head_, tile, keys_, [&](const KeyBlock& block) {
      buffers_.multiply_keys(tile, block, block.key, buffers_.query_transposed_,
                             buffers_.scores_);
      exponentiate(tile, block);
      add_values(tile, block, is_first ? Start::kZero : Start::kScaled);
      is_first = false;
    });
    finish(tile);
  }

 private:
  using Float = typename V::Float;
  using Buffers = TileBuffers<V>;

  /// Below all scores; finite, so that differences are never NaN.
  static constexpr float kLowest = -3.0e38F;

  void exponentiate(const Tile& tile, const KeyBlock& block) {
    if (head_.dropout.threshold > 0) {
      buffers_.draw(tile, block);
      block.masked ? exponentiate_groups<true, true>(tile, block)
                   : exponentiate_groups<false, true>(tile, block);
    } else {
      block.masked ? exponentiate_groups<true, false>(tile, block)
                   : exponentiate_groups<false, false>(tile, block);
    }
  }

  template <bool kMasked, bool kDropout>
  void exponentiate_groups(const Tile& tile, const KeyBlock& block) {
    for (std::int64_t g = 0; g < Buffers::groups(tile); ++g) {
      exponentiate_group<kMasked, kDropout>(tile, block, g);
    }
  }

  /// Replaces the scores of one group of queries by exp(score - maximum),
  /// and updates the maximum and the sum.
  template <bool kMasked, bool kDropout>
  void exponentiate_group(const Tile& tile, const KeyBlock& block,
                          std::int64_t g) {
    float* const scores = buffers_.scores_ + g * V::kWidth;
    const std::uint16_t* const kept = buffers_.kept(block) + g;
    const Range rows = buffers_.rows_of_group(tile, block, g);
    const auto score = [&](std::int64_t r) {
      const Float x = V::load(scores + r * kTileQueries);
      if constexpr (!kMasked) return x;
      return V::select(buffers_.seen(tile, block, g, r), x,
                       V::broadcast(kLowest));
    };
    const Float before = V::load(largest_ + g * V::kWidth);
    Float largest[2] = {before, before};
    std::int64_t r = rows.begin;
    for (; r + 2 <= rows.end; r += 2) {
      largest[0] = V::max(score(r), largest[0]);
      largest[1] = V::max(score(r + 1), largest[1]);
    }
    if (r < rows.end) largest[0] = V::max(score(r), largest[0]);
    const Float maximum = V::max(largest[0], largest[1]);

    const auto exponential = [&](std::int64_t row) {
      Float x = V::exp2(V::subtract(score(row), maximum));
      if constexpr (kMasked) {
        x = V::keep(buffers_.seen(tile, block, g, row), x);
      }
      V::store(scores + row * kTileQueries,
               kDropout
                   ? V::keep(V::mask_from_bits(kept[row * Buffers::kGroups]), x)
                   : x);
      return x;
    };
    const Float factor = V::exp2(V::subtract(before, maximum));
    Float total[2] = {V::multiply(factor, V::load(total_ + g * V::kWidth)),
                      V::zero()};
    for (r = rows.begin; r + 2 <= rows.end; r += 2) {
      total[0] = V::add(total[0], exponential(r));
      total[1] = V::add(total[1], exponential(r + 1));
    }
    if (r < rows.end) total[0] = V::add(total[0], exponential(r));
    V::store(largest_ + g * V::kWidth, maximum);
    V::store(total_ + g * V::kWidth, V::add(total[0], total[1]));
    V::store(factor_ + g * V::kWidth, factor);
    if constexpr (kMasked) buffers_.clear_beside(block, rows, scores);
  }

  /// output[query] += sum over keys of probability * value
  void add_values(const Tile& tile, const KeyBlock& block, Start start) {
    Product p;
    p.a = buffers_.scores_;
    p.a_stride = kTileQueries;
    p.b = block.value;
    p.b_stride = buffers_.padded_;
    p.c = output_;
    p.c_stride = buffers_.padded_;
    p.depth = block.count;
    p.start = start;
    p.factors = factor_;
    const Band band = buffers_.band_by_query(tile, block);
    multiply<V, true>(tile.lanes(), buffers_.padded_, p,
                      block.masked ? &band : nullptr);
  }

  void finish(const Tile& tile) {
    const MutableHeadRows& output = result_.output;
    for (std::int64_t q = tile.begin; q < tile.end; ++q) {
      const std::int64_t lane = q - tile.first;
      unpack_rows<V, false>(output_ + lane * buffers_.padded_, 1,
                            head_.head_size, head_.dropout.scale / total_[lane],
                            {output.first + q * output.stride, output.stride});
    }
    constexpr double kLogOf2 = 0.693147180559945309;
    const MutableHeadRows& normaliser = result_.log_normaliser;
    for (std::int64_t q = tile.begin; q < tile.end; ++q) {
      const std::int64_t lane = q - tile.first;
      normaliser.first[q * normaliser.stride] =
          static_cast<float>(kLogOf2 * static_cast<double>(largest_[lane]) +
                             static_cast<double>(__builtin_logf(total_[lane])));
    }
  }

  const WindowHead& head_;
  const WindowForwardResult& result_;
  PackedTokens packed_;
  Buffers buffers_;
  KeyWindow<V> keys_;
  float* output_;  ///< [query, channel], not yet normalised.
  std::int64_t scratch_floats_;
  alignas(64) float largest_[kTileQueries];
  alignas(64) float total_[kTileQueries];
  alignas(64) float factor_[kTileQueries];
};

}  // namespace
}  // namespace longformer
