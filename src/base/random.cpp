// SPDX-License-Identifier: MIT
#include "longformer/base/random.h"

#include <cmath>
#include <numbers>

namespace longformer {

std::uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    block_ = philox(key_, {static_cast<std::uint32_t>(position_),
                           static_cast<std::uint32_t>(position_ >> 32),
                           static_cast<std::uint32_t>(stream_),
                           static_cast<std::uint32_t>(stream_ >> 32)});
    ++position_;
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | (static_cast<std::uint64_t>(next_u32()) << 32);
}

std::uint64_t RandomStream::next_below(std::uint64_t bound) {
  // Values below `reject` would make small results likelier.
  const std::uint64_t reject = (0 - bound) % bound;
  std::uint64_t value = next_u64();
  while (value < reject) value = next_u64();
  return value % bound;
}

double RandomStream::next_normal() {
  constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
  const double u = static_cast<double>((next_u64() >> 11) + 1) * kScale;
  const double v = static_cast<double>(next_u64() >> 11) * kScale;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace longformer
