// SPDX-License-Identifier: MIT
//
// Vectors of 4 floats for the window kernel, in the compiler's own vector
// types: whatever the target offers. The members mean what they mean in
// vector_avx512.h; internal linkage for the same reason.
#pragma once

#include <cstdint>

#include "window_kernel.h"

namespace longformer {
namespace {

struct Portable {
  typedef float Float __attribute__((vector_size(16)));
  typedef std::int32_t Mask __attribute__((vector_size(16)));
  typedef std::uint32_t Bits __attribute__((vector_size(16)));
  static constexpr int kWidth = 4;

  /// 12 sums of 16 registers.
  static constexpr int kMaxVectors = 2;
  static constexpr int product_rows(int vectors) {
    return vectors == 2 ? 6 : 12;
  }

  static Float zero() { return Float{}; }
  static Float broadcast(float x) { return Float{x, x, x, x}; }
  static Float load(const float* x) {
    Float y;
    __builtin_memcpy(&y, x, sizeof(y));
    return y;
  }
  static void store(float* to, Float x) { __builtin_memcpy(to, &x, sizeof(x)); }
  static Float add(Float a, Float b) { return a + b; }
  static Float subtract(Float a, Float b) { return a - b; }
  static Float multiply(Float a, Float b) { return a * b; }
  static Float fma(Float a, Float b, Float c) { return a * b + c; }
  static Float max(Float a, Float b) { return select(a > b, a, b); }
  static float sum(Float x) { return (x[0] + x[1]) + (x[2] + x[3]); }
  static Float lanes() { return Float{0, 1, 2, 3}; }

  static Mask at_most(Float a, Float b) { return a <= b; }
  static Float absolute(Float x) {
    return reinterpret_cast<Float>(
        reinterpret_cast<Bits>(x) &
        Bits{kAbsolute, kAbsolute, kAbsolute, kAbsolute});
  }
  static Mask mask_from_bits(std::uint16_t bits) {
    const Mask lane_bits{1, 2, 4, 8};
    return (Mask{bits, bits, bits, bits} & lane_bits) == lane_bits;
  }
  static Float select(Mask mask, Float x, Float other) {
    return reinterpret_cast<Float>((reinterpret_cast<Mask>(x) & mask) |
                                   (reinterpret_cast<Mask>(other) & ~mask));
  }
  static Float keep(Mask mask, Float x) {
    return reinterpret_cast<Float>(reinterpret_cast<Mask>(x) & mask);
  }

  static Float exp2(Float x) {
    const Mask too_low = x < broadcast(-126.0F);
    const Float bounded = select(too_low, broadcast(-126.0F), x);
    // Adding 1.5 * 2^23 leaves the nearest whole number in the low bits.
    const Float magic = broadcast(12582912.0F);
    const Float shifted = bounded + magic;
    const Float rest = bounded - (shifted - magic);
    Float y = broadcast(1.535336188319500e-4F);
    y = fma(y, rest, broadcast(1.339887440266574e-3F));
    y = fma(y, rest, broadcast(9.618437357674640e-3F));
    y = fma(y, rest, broadcast(5.550332471162809e-2F));
    y = fma(y, rest, broadcast(2.402264791363012e-1F));
    y = fma(y, rest, broadcast(6.931472028550421e-1F));
    y = fma(y, rest, broadcast(1.0F));
    const Bits exponent = reinterpret_cast<Bits>(shifted) << 23;
    y = reinterpret_cast<Float>(reinterpret_cast<Bits>(y) + exponent);
    return keep(~too_low, y);
  }

  static void transpose(const float* from, std::int64_t from_stride,
                        float factor, float* to, std::int64_t to_stride) {
    for (int c = 0; c < kWidth; ++c) {
      for (int r = 0; r < kWidth; ++r) {
        to[c * to_stride + r] = factor * from[r * from_stride + c];
      }
    }
  }

  static void draw(const HeadDropout& dropout, std::uint32_t query,
                   std::uint32_t group, std::uint16_t* kept,
                   std::int64_t stride) {
    for (int r = 0; r < 8; ++r) kept[r * stride] = 0;
    for (unsigned lane = 0; lane < kWidth; ++lane) {
      std::uint32_t c[4] = {query + lane, group, dropout.place,
                            dropout.document};
      for (const auto& key : dropout.round_keys) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c[2];
        c[0] = static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ key[0];
        c[1] = static_cast<std::uint32_t>(product1);
        c[2] = static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ key[1];
        c[3] = static_cast<std::uint32_t>(product0);
      }
      for (int w = 0; w < 4; ++w) {
        set_bit(kept[w * stride], lane, (c[w] & 0xFFFF) >= dropout.threshold);
        set_bit(kept[(4 + w) * stride], lane,
                (c[w] >> 16) >= dropout.threshold);
      }
    }
  }

 private:
  static constexpr std::uint32_t kAbsolute = 0x7FFFFFFF;

  static void set_bit(std::uint16_t& bits, unsigned lane, bool value) {
    bits = static_cast<std::uint16_t>(bits | (unsigned{value} << lane));
  }
};

}  // namespace
}  // namespace longformer
