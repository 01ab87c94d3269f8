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
    const bool dropout = head_.dropout.threshold > 0;
    if (dropout) buffers_.draw(tile, block);
    for (std::int64_t g = 0; g < Buffers::groups(tile); ++g) {
      dropout ? exponentiate_group<true>(tile, block, g)
              : exponentiate_group<false>(tile, block, g);
    }
  }

  /// Replaces the scores of one group of queries by exp(score - maximum),
  /// and updates the maximum and the sum.
  template <bool kDropout>
  void exponentiate_group(const Tile& tile, const KeyBlock& block,
                          std::int64_t g) {
    float* const scores = buffers_.scores_ + g * V::kWidth;
    const std::uint16_t* const kept = buffers_.kept(block) + g;
    const GroupRows rows = buffers_.rows_of_group(tile, block, g);
    const auto seen = [&](std::int64_t r) {
      return buffers_.seen(tile, block, g, r);
    };
    const Float before = V::load(largest_ + g * V::kWidth);
    Float largest[2] = {before, before};  // Two, for two maxima at a time.
    for_each_part(rows, [&]<bool kMasked>(const Range& part) {
      for (std::int64_t r = part.begin; r < part.end; ++r) {
        Float score = V::load(scores + r * kTileQueries);
        if constexpr (kMasked) {
          score = V::select(seen(r), score, V::broadcast(kLowest));
        }
        largest[0] = V::max(score, largest[0]);
        if constexpr (!kMasked) {
          if (++r == part.end) break;
          largest[1] = V::max(V::load(scores + r * kTileQueries), largest[1]);
        }
      }
    });
    const Float maximum = V::max(largest[0], largest[1]);

    // Summed up per block, which loses less than one long sum.
    Float total = V::zero();
    for_each_part(rows, [&]<bool kMasked>(const Range& part) {
      Float odd = V::zero();
      for (std::int64_t r = part.begin; r < part.end; ++r) {
        float* const score = scores + r * kTileQueries;
        Float x = V::exp2(V::subtract(V::load(score), maximum));
        if constexpr (kMasked) x = V::keep(seen(r), x);
        const Float sum = V::add(odd, x);
        odd = total;
        total = sum;
        if constexpr (kDropout) {
          x = V::keep(V::mask_from_bits(kept[r * Buffers::kGroups]), x);
        }
        V::store(score, x);
      }
      total = V::add(total, odd);
    });
    const Float factor = V::exp2(V::subtract(before, maximum));
    float* const sum = total_ + g * V::kWidth;
    V::store(sum, V::fma(factor, V::load(sum), total));
    V::store(largest_ + g * V::kWidth, maximum);
    V::store(factor_ + g * V::kWidth, factor);
    if (block.masked) Buffers::clear_beside(block, rows.by_some, scores);
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
