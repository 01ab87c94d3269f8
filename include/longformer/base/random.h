// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace longformer {

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as
/// 1, 2, 3"): four 32-bit numbers as a pure function of key and counter.
/// Nothing is stored, so a draw can be repeated anywhere at any time.
using PhiloxBlock = std::array<std::uint32_t, 4>;

struct PhiloxKey {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

constexpr PhiloxBlock philox(PhiloxKey key, PhiloxBlock counter) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key.low,
        static_cast<std::uint32_t>(product1),
        static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key.high,
        static_cast<std::uint32_t>(product0)};
    key.low += kWeyl0;
    key.high += kWeyl1;
  }
  return counter;
}

/// Mixes 64 bits (the finaliser of SplitMix64): close inputs give unrelated
/// outputs. Used to derive keys from (seed, purpose).
constexpr std::uint64_t mix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// What a stream of random numbers is for. Streams of one seed that serve
/// different purposes are independent.
enum class RandomPurpose : std::uint64_t {
  kDropout = 1,
  kShuffle = 2,
  kInitialWeights = 3,
};

/// The key of all draws for `purpose` at optimizer step `step`.
constexpr PhiloxKey random_key(std::uint64_t seed, RandomPurpose purpose,
                               std::uint64_t step) {
  const std::uint64_t bits =
      mix64(mix64(seed ^ (static_cast<std::uint64_t>(purpose) << 56)) + step);
  return {static_cast<std::uint32_t>(bits),
          static_cast<std::uint32_t>(bits >> 32)};
}

/// Sequential numbers from one key, for shuffles and initial weights. The
/// n-th draw depends on (key, stream, n) only.
class RandomStream {
 public:
  RandomStream(PhiloxKey key, std::uint64_t stream)
      : key_(key), stream_(stream) {}

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform in [0, bound) without bias; bound > 0.
  std::uint64_t next_below(std::uint64_t bound);
  /// Standard normal (Box-Muller), in double precision.
  double next_normal();

 private:
  PhiloxKey key_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;  ///< Number of blocks drawn.
  PhiloxBlock block_{};
  int used_ = 4;
};

}  // namespace longformer
