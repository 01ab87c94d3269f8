// SPDX-License-Identifier: MIT
//
// Vectors of 8 floats for the window kernel: AVX2 and FMA. The members mean
// what they mean in vector_avx512.h; internal linkage for the same reason.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "window_kernel.h"

namespace longformer {
namespace {

struct Avx2 {
  using Float = __m256;
  using Mask = __m256;
  static constexpr int kWidth = 8;

  /// 12 sums of 16 registers.
  static constexpr int kMaxVectors = 2;
  static constexpr int product_rows(int vectors) {
    return vectors == 2 ? 6 : 12;
  }

  static Float zero() { return _mm256_setzero_ps(); }
  static Float broadcast(float x) { return _mm256_set1_ps(x); }
  static Float load(const float* x) { return _mm256_loadu_ps(x); }
  static void store(float* to, Float x) { _mm256_storeu_ps(to, x); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float subtract(Float a, Float b) { return _mm256_sub_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float fma(Float a, Float b, Float c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  static float sum(Float x) {
    __m128 y =
        _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_add_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
  }
  static Float lanes() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }

  static Mask at_most(Float a, Float b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
  }
  static Float absolute(Float x) {
    return _mm256_andnot_ps(broadcast(-0.0F), x);
  }
  static Mask mask_from_bits(std::uint16_t bits) {
    const __m256i lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(
        _mm256_and_si256(_mm256_set1_epi32(bits), lane_bits), lane_bits));
  }
  static Float select(Mask mask, Float x, Float other) {
    return _mm256_blendv_ps(other, x, mask);
  }
  static Float keep(Mask mask, Float x) { return _mm256_and_ps(mask, x); }

  static Float exp2(Float x) {
    const Float lowest = broadcast(-126.0F);
    const Float bounded = _mm256_max_ps(lowest, x);  // NaN stays NaN.
    const Float whole =
        _mm256_round_ps(bounded, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const Float rest = subtract(bounded, whole);
    Float y = broadcast(1.535336188319500e-4F);
    y = fma(y, rest, broadcast(1.339887440266574e-3F));
    y = fma(y, rest, broadcast(9.618437357674640e-3F));
    y = fma(y, rest, broadcast(5.550332471162809e-2F));
    y = fma(y, rest, broadcast(2.402264791363012e-1F));
    y = fma(y, rest, broadcast(6.931472028550421e-1F));
    y = fma(y, rest, broadcast(1.0F));
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(whole), 23);
    y = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), exponent));
    return keep(_mm256_cmp_ps(x, lowest, _CMP_NLT_UQ), y);
  }

  static void transpose(const float* from, std::int64_t from_stride,
                        float factor, float* to, std::int64_t to_stride) {
    const Float scale = broadcast(factor);
    Float pairs[8];
    for (int i = 0; i < 8; i += 2) {
      const Float a = multiply(scale, load(from + i * from_stride));
      const Float b = multiply(scale, load(from + (i + 1) * from_stride));
      pairs[i] = _mm256_unpacklo_ps(a, b);
      pairs[i + 1] = _mm256_unpackhi_ps(a, b);
    }
    Float quads[8];
    for (int i = 0; i < 8; i += 4) {
      for (int c = 0; c < 2; ++c) {
        quads[i + 2 * c] =
            _mm256_shuffle_ps(pairs[i + c], pairs[i + 2 + c], 0x44);
        quads[i + 2 * c + 1] =
            _mm256_shuffle_ps(pairs[i + c], pairs[i + 2 + c], 0xEE);
      }
    }
    for (int c = 0; c < 4; ++c) {
      store(to + c * to_stride,
            _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x20));
      store(to + (4 + c) * to_stride,
            _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x31));
    }
  }

  static void draw(const HeadDropout& dropout, std::uint32_t query,
                   std::uint32_t group, std::uint16_t* kept,
                   std::int64_t stride) {
    const __m256i multiplier0 = _mm256_set1_epi64x(0xD2511F53);
    const __m256i multiplier1 = _mm256_set1_epi64x(0xCD9E8D57);
    __m256i c0[2];
    c0[0] = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(query)),
                             _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    c0[1] = _mm256_srli_epi64(c0[0], 32);
    __m256i c1[2], c2[2], c3[2];
    for (int i = 0; i < 2; ++i) {
      c1[i] = _mm256_set1_epi32(static_cast<int>(group));
      c2[i] = _mm256_set1_epi32(static_cast<int>(dropout.place));
      c3[i] = _mm256_set1_epi32(static_cast<int>(dropout.document));
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m256i key0 =
          _mm256_set1_epi32(static_cast<int>(dropout.round_keys[round][0]));
      const __m256i key1 =
          _mm256_set1_epi32(static_cast<int>(dropout.round_keys[round][1]));
      for (int i = 0; i < 2; ++i) {
        const __m256i product0 = _mm256_mul_epu32(c0[i], multiplier0);
        const __m256i product1 = _mm256_mul_epu32(c2[i], multiplier1);
        c0[i] = _mm256_xor_si256(_mm256_srli_epi64(product1, 32),
                                 _mm256_xor_si256(c1[i], key0));
        c2[i] = _mm256_xor_si256(_mm256_srli_epi64(product0, 32),
                                 _mm256_xor_si256(c3[i], key1));
        c1[i] = product1;
        c3[i] = product0;
      }
    }
    const __m256i threshold =
        _mm256_set1_epi32(static_cast<int>(dropout.threshold << 16));
    const __m256i* const words[4] = {c0, c1, c2, c3};
    for (int w = 0; w < 4; ++w) {
      const __m256i word = _mm256_blend_epi32(
          words[w][0], _mm256_slli_epi64(words[w][1], 32), 0xAA);
      kept[w * stride] = not_below(_mm256_slli_epi32(word, 16), threshold);
      kept[(4 + w) * stride] = not_below(word, threshold);
    }
  }

 private:
  /// Bit l: a[l] >= b[l], unsigned.
  static std::uint16_t not_below(__m256i a, __m256i b) {
    const __m256i larger = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
    return static_cast<std::uint16_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(larger)));
  }
};

}  // namespace
}  // namespace longformer
