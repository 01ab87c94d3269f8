// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "longformer/base/random.h"

namespace longformer {

/// Where a random number is used. Part of the counter, so that two sites never
/// share numbers. The values are part of the format of a run: a resumed run
/// must draw what the uninterrupted one would have drawn.
enum class DropoutSite : std::uint32_t {
  kEmbedding = 0,
  kLocalAttention = 1,
  kGlobalAttention = 2,
  kAttentionOutput = 3,
  kFeedForwardOutput = 4,
  kHeadInput = 5,
  kHeadHidden = 6,
};

/// Dropout as a pure function of (seed, step, document, layer, site, head,
/// token, channel or key): independent of packing, micro-batches, ranks and
/// threads, nothing to store for the backward pass.
///
/// Numbers are 16 bits wide, eight to a Philox block, so the probability in
/// force is a multiple of 1/65536; `scale()` is its exact counterpart.
struct Dropout {
  double probability = 0;
  PhiloxKey key;
  std::uint32_t layer = 0;

  std::uint32_t threshold() const {
    return static_cast<std::uint32_t>(std::lround(probability * 65536.0));
  }
  bool active() const { return threshold() > 0; }
  /// What kept values are multiplied by.
  double scale() const { return 65536.0 / (65536.0 - threshold()); }
};

/// The counter of the block that holds channels (or keys) 8 * group to
/// 8 * group + 7 of `token` in the document with this index in the global
/// batch.
constexpr PhiloxBlock dropout_counter(std::uint32_t layer, DropoutSite site,
                                      std::uint32_t head,
                                      std::uint32_t document,
                                      std::uint32_t token,
                                      std::uint32_t group) {
  const std::uint32_t place =
      (layer << 20) | (static_cast<std::uint32_t>(site) << 16) | head;
  return {token, group, place, document};
}

/// The 16 random bits of channel 8 * group + `lane` (0 to 7) of a block.
constexpr std::uint32_t dropout_bits(const PhiloxBlock& block, unsigned lane) {
  return lane < 4 ? block[lane] & 0xFFFFU : block[lane - 4] >> 16;
}

/// Whether one value is kept: the definition that every kernel must equal.
constexpr bool dropout_keeps(const PhiloxKey& key, const PhiloxBlock& counter,
                             unsigned lane, std::uint32_t threshold) {
  return dropout_bits(philox(key, counter), lane) >= threshold;
}

}  // namespace longformer
