// SPDX-License-Identifier: MIT
//
// Backward pass of the window kernel. Probabilities are computed again from
// the log-normalisers; with P = exp(S - l) and delta = rowsum(dO * O),
//   dV = P^T dO, dS = P * (dO V^T - delta), dQ = dS K, dK = dS^T Q
// (Dao et al. 2022, arXiv:2205.14135, section 3.1). Dropout multiplies the P
// of dV and the dO V^T of dS. Internal linkage; see vector_avx512.h.
#pragma once

#include <cstdint>

#include "window_tiles.h"

namespace longformer {
namespace {

template <class V>
class BackwardTiles {
 public:
  BackwardTiles(const WindowHead& head, const WindowBackwardInputs& inputs,
                const KeyGradientSums& sums, PackedTokens& packed,
                Scratch scratch)
      : head_(head),
        inputs_(inputs),
        sums_(sums),
        buffers_(head, scratch),
        keys_(head, packed, scratch),
        gradient_(scratch.take(kTileQueries * buffers_.padded_)),
        gradient_transposed_(scratch.take(kTileQueries * buffers_.padded_)),
        score_gradient_(scratch.take(kBlockKeys * kTileQueries)),
        query_gradient_(scratch.take(kTileQueries * buffers_.padded_)),
        scratch_floats_(scratch.used()) {}

  std::int64_t scratch_floats() const { return scratch_floats_; }

  void compute(std::int64_t index) {
    const Tile tile(head_, index);
    buffers_.load_queries(tile);
    load_normalisers(tile);
    load_gradients(tile);
    bool is_first = true;
    for_each_block(head_, tile, keys_, [&](const KeyBlock& block) {
      buffers_.multiply_keys(tile, block, block.key, buffers_.query_transposed_,
                             buffers_.scores_);
      buffers_.multiply_keys(tile, block, block.value, gradient_transposed_,
                             score_gradient_);
      differentiate(tile, block);
      add_to_keys(tile, block);
      add_to_queries(tile, block, is_first ? Start::kZero : Start::kAdd);
      is_first = false;
    });
    const MutableHeadRows& rows = inputs_.query_gradient;
    unpack_rows<V, false>(
        query_gradient_ + (tile.begin - tile.first) * buffers_.padded_,
        tile.end - tile.begin, head_.head_size, head_.scale,
        {rows.first + tile.begin * rows.stride, rows.stride});
  }

 private:
  using Float = typename V::Float;
  using Buffers = TileBuffers<V>;

  /// Normalisers as logarithms to base 2, and delta. Such a logarithm rounded
  /// to a float makes all probabilities of its query wrong by the same factor,
  /// which is corrected where it costs nothing: in the gradient of the output.
  void load_normalisers(const Tile& tile) {
    constexpr double kLogOf2 = 0.693147180559945309;
    // Lanes that count for nothing get probability 0.
    constexpr float kHighest = 3.0e38F;
    const HeadRows& logs = inputs_.log_normaliser;
    for (std::int64_t lane = 0; lane < kTileQueries; ++lane) {
      const std::int64_t q = tile.first + lane;
      if (q < tile.begin || q >= tile.end) {
        normaliser_[lane] = kHighest;
        delta_[lane] = 0;
        continue;
      }
      const double exact =
          static_cast<double>(logs.first[q * logs.stride]) / kLogOf2;
      normaliser_[lane] = static_cast<float>(exact);
      const double error = static_cast<double>(normaliser_[lane]) - exact;
      correction_[lane] = static_cast<float>(1 + kLogOf2 * error);
      delta_[lane] =
          correction_[lane] * dot(inputs_.output_gradient, inputs_.output, q);
    }
  }

  void load_gradients(const Tile& tile) {
    const std::int64_t padded = buffers_.padded_;
    for (std::int64_t lane = 0; lane < kTileQueries; ++lane) {
      const std::int64_t q = tile.first + lane;
      float* const row = gradient_ + lane * padded;
      if (q < tile.begin || q >= tile.end) {
        for (std::int64_t c = 0; c < padded; ++c) row[c] = 0;
      } else {
        pack_rows<V>(inputs_.output_gradient, q, 1, head_.head_size,
                     head_.dropout.scale * correction_[lane], row);
      }
    }
    buffers_.transpose(gradient_, 1.0F, gradient_transposed_);
  }

  float dot(const HeadRows& a, const HeadRows& b, std::int64_t q) const {
    const float* x = a.first + q * a.stride;
    const float* y = b.first + q * b.stride;
    const std::int64_t whole = head_.head_size - head_.head_size % V::kWidth;
    Float sums = V::zero();
    for (std::int64_t c = 0; c < whole; c += V::kWidth) {
      sums = V::fma(V::load(x + c), V::load(y + c), sums);
    }
    float sum = V::sum(sums);
    for (std::int64_t c = whole; c < head_.head_size; ++c) sum += x[c] * y[c];
    return sum;
  }

  void differentiate(const Tile& tile, const KeyBlock& block) {
    const bool dropout = head_.dropout.threshold > 0;
    if (dropout) buffers_.draw(tile, block);
    for (std::int64_t g = 0; g < Buffers::groups(tile); ++g) {
      dropout ? differentiate_group<true>(tile, block, g)
              : differentiate_group<false>(tile, block, g);
    }
  }

  /// Turns the scores of one group of queries into probabilities after
  /// dropout, and the probabilities' gradients into those of the scores.
  template <bool kDropout>
  void differentiate_group(const Tile& tile, const KeyBlock& block,
                           std::int64_t g) {
    float* const scores = buffers_.scores_ + g * V::kWidth;
    float* const gradients = score_gradient_ + g * V::kWidth;
    const std::uint16_t* const kept = buffers_.kept(block) + g;
    const GroupRows rows = buffers_.rows_of_group(tile, block, g);
    const Float normaliser = V::load(normaliser_ + g * V::kWidth);
    const Float delta = V::load(delta_ + g * V::kWidth);
    for_each_part(rows, [&]<bool kMasked>(const Range& part) {
      for (std::int64_t r = part.begin; r < part.end; ++r) {
        float* const score = scores + r * kTileQueries;
        float* const gradient = gradients + r * kTileQueries;
        Float p = V::exp2(V::subtract(V::load(score), normaliser));
        Float dp = V::load(gradient);
        if constexpr (kMasked) {
          // Where no query sees the key, both matrices may hold anything.
          const auto mask = buffers_.seen(tile, block, g, r);
          p = V::keep(mask, p);
          dp = V::keep(mask, dp);
        }
        if constexpr (kDropout) {
          const auto mask = V::mask_from_bits(kept[r * Buffers::kGroups]);
          V::store(score, V::keep(mask, p));
          dp = V::keep(mask, dp);
        } else {
          V::store(score, p);
        }
        V::store(gradient, V::multiply(p, V::subtract(dp, delta)));
      }
    });
    if (block.masked) {
      Buffers::clear_beside(block, rows.by_some, scores);
      Buffers::clear_beside(block, rows.by_some, gradients);
    }
  }

  /// Sums over the queries: gradients of keys and values.
  void add_to_keys(const Tile& tile, const KeyBlock& block) const {
    const std::int64_t row =
        block.first - (block.is_column ? 0 : sums_.first_window_token);
    float* const key = block.is_column ? sums_.column_key : sums_.window_key;
    float* const value =
        block.is_column ? sums_.column_value : sums_.window_value;
    const Band band = buffers_.band_by_key(tile, block);
    Product p;
    p.a = buffers_.scores_;
    p.a_stride = kTileQueries;
    p.b = gradient_;
    p.b_stride = buffers_.padded_;
    p.c = value + row * buffers_.padded_;
    p.c_stride = buffers_.padded_;
    p.depth = tile.lanes();
    multiply<V, false>(block.count, buffers_.padded_, p,
                       block.masked ? &band : nullptr);
    p.a = score_gradient_;
    p.b = buffers_.query_;
    p.c = key + row * buffers_.padded_;
    multiply<V, false>(block.count, buffers_.padded_, p,
                       block.masked ? &band : nullptr);
  }

  /// Sums over the keys: gradients of the scaled queries.
  void add_to_queries(const Tile& tile, const KeyBlock& block, Start start) {
    const Band band = buffers_.band_by_query(tile, block);
    Product p;
    p.a = score_gradient_;
    p.a_stride = kTileQueries;
    p.b = block.key;
    p.b_stride = buffers_.padded_;
    p.c = query_gradient_;
    p.c_stride = buffers_.padded_;
    p.depth = block.count;
    p.start = start;
    multiply<V, true>(tile.lanes(), buffers_.padded_, p,
                      block.masked ? &band : nullptr);
  }

  const WindowHead& head_;
  const WindowBackwardInputs& inputs_;
  const KeyGradientSums& sums_;
  Buffers buffers_;
  KeyWindow<V> keys_;
  float* gradient_;             ///< dO, corrected and scaled [query, channel]
  float* gradient_transposed_;  ///< [channel, query]
  float* score_gradient_;       ///< [key, query]
  float* query_gradient_;       ///< [query, channel]
  std::int64_t scratch_floats_;
  alignas(64) float normaliser_[kTileQueries];
  float correction_[kTileQueries];
  alignas(64) float delta_[kTileQueries];
};

}  // namespace
}  // namespace longformer
