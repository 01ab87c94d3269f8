// SPDX-License-Identifier: MIT
//
// Vectors of 16 floats for the window kernel: AVX-512 F, BW, DQ and VL.
//
// Everything has internal linkage here and in all files of the kernel, and no
// function of the standard library's headers is used: code compiled for one
// instruction set must never be merged with, and then run instead of, the same
// function compiled for another.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "window_kernel.h"

namespace longformer {
namespace {

struct Avx512 {
  using Float = __m512;
  using Mask = __mmask16;
  static constexpr int kWidth = 16;

  /// Of 32 registers a product holds rows x vectors sums, one row of B and one
  /// element of A.
  static constexpr int kMaxVectors = 4;
  static constexpr int product_rows(int vectors) {
    return vectors == 4 ? 6 : vectors == 3 ? 8 : 12;
  }

  static Float zero() { return _mm512_setzero_ps(); }
  static Float broadcast(float x) { return _mm512_set1_ps(x); }
  static Float load(const float* x) { return _mm512_loadu_ps(x); }
  static void store(float* to, Float x) { _mm512_storeu_ps(to, x); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float subtract(Float a, Float b) { return _mm512_sub_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  /// a * b + c
  static Float fma(Float a, Float b, Float c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  /// The larger; `b` when either is NaN.
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  static float sum(Float x) { return _mm512_reduce_add_ps(x); }
  /// 0, 1, 2, ...
  static Float lanes() {
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }

  static Mask at_most(Float a, Float b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
  }
  static Float absolute(Float x) { return _mm512_abs_ps(x); }
  static Mask mask_from_bits(std::uint16_t bits) { return bits; }
  /// x where the mask is set, else `other`.
  static Float select(Mask mask, Float x, Float other) {
    return _mm512_mask_blend_ps(mask, other, x);
  }
  /// x where the mask is set, else 0.
  static Float keep(Mask mask, Float x) { return _mm512_maskz_mov_ps(mask, x); }

  /// 2^x, 0 below the smallest number; NaN stays NaN. The error is below 2
  /// units in the last place: 2^x / 2^floor(x) is a polynomial of the rest
  /// (relative error 2e-9). Both instructions know what to do with infinity.
  static Float exp2(Float x) {
    const Float rest =
        _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    Float y = broadcast(2.1612915e-4F);
    y = fma(y, rest, broadcast(1.2467847e-3F));
    y = fma(y, rest, broadcast(9.6754516e-3F));
    y = fma(y, rest, broadcast(5.5485282e-2F));
    y = fma(y, rest, broadcast(2.4022931e-1F));
    y = fma(y, rest, broadcast(6.9314706e-1F));
    y = fma(y, rest, broadcast(1.0F));
    return _mm512_scalef_ps(y, x);  // y * 2^floor(x)
  }

  /// Transposes 16 x 16 elements, multiplied by `factor`.
  static void transpose(const float* from, std::int64_t from_stride,
                        float factor, float* to, std::int64_t to_stride) {
    const Float scale = broadcast(factor);
    __m512d pairs[16];
    for (int i = 0; i < 16; i += 2) {
      const Float a = multiply(scale, load(from + i * from_stride));
      const Float b = multiply(scale, load(from + (i + 1) * from_stride));
      pairs[i] = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
      pairs[i + 1] = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    }
    // quads[4 * i + c]: in each 128-bit lane l, column 4 * l + c of rows 4 * i
    // to 4 * i + 3.
    Float quads[16];
    for (int i = 0; i < 16; i += 4) {
      for (int c = 0; c < 2; ++c) {
        quads[i + 2 * c] = _mm512_castpd_ps(
            _mm512_unpacklo_pd(pairs[i + c], pairs[i + 2 + c]));
        quads[i + 2 * c + 1] = _mm512_castpd_ps(
            _mm512_unpackhi_pd(pairs[i + c], pairs[i + 2 + c]));
      }
    }
    for (int c = 0; c < 4; ++c) {
      const Float a = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0x88);
      const Float b = _mm512_shuffle_f32x4(quads[8 + c], quads[12 + c], 0x88);
      const Float d = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0xDD);
      const Float e = _mm512_shuffle_f32x4(quads[8 + c], quads[12 + c], 0xDD);
      store(to + c * to_stride, _mm512_shuffle_f32x4(a, b, 0x88));
      store(to + (4 + c) * to_stride, _mm512_shuffle_f32x4(d, e, 0x88));
      store(to + (8 + c) * to_stride, _mm512_shuffle_f32x4(a, b, 0xDD));
      store(to + (12 + c) * to_stride, _mm512_shuffle_f32x4(d, e, 0xDD));
    }
  }

  /// Draws for keys 8 * group to 8 * group + 7 of the queries of all lanes;
  /// bit l of kept[r * stride] says whether query + l keeps key 8 * group + r.
  static void draw(const HeadDropout& dropout, std::uint32_t query,
                   std::uint32_t group, std::uint16_t* kept,
                   std::int64_t stride) {
    const __m512i multiplier0 = _mm512_set1_epi64(0xD2511F53);
    const __m512i multiplier1 = _mm512_set1_epi64(0xCD9E8D57);
    // Even and odd lanes apart, each in the low half of 64 bits. The high
    // halves hold garbage, which the multiplications ignore.
    __m512i c0[2];
    c0[0] = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(query)),
                             _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                               11, 12, 13, 14, 15));
    c0[1] = _mm512_srli_epi64(c0[0], 32);
    __m512i c1[2], c2[2], c3[2];
    for (int i = 0; i < 2; ++i) {
      c1[i] = _mm512_set1_epi32(static_cast<int>(group));
      c2[i] = _mm512_set1_epi32(static_cast<int>(dropout.place));
      c3[i] = _mm512_set1_epi32(static_cast<int>(dropout.document));
    }
    constexpr int kXor3 = 0x96;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m512i key0 =
          _mm512_set1_epi32(static_cast<int>(dropout.round_keys[round][0]));
      const __m512i key1 =
          _mm512_set1_epi32(static_cast<int>(dropout.round_keys[round][1]));
      for (int i = 0; i < 2; ++i) {
        const __m512i product0 = _mm512_mul_epu32(c0[i], multiplier0);
        const __m512i product1 = _mm512_mul_epu32(c2[i], multiplier1);
        c0[i] = _mm512_ternarylogic_epi32(_mm512_srli_epi64(product1, 32),
                                          c1[i], key0, kXor3);
        c2[i] = _mm512_ternarylogic_epi32(_mm512_srli_epi64(product0, 32),
                                          c3[i], key1, kXor3);
        c1[i] = product1;
        c3[i] = product0;
      }
    }
    const __m512i threshold =
        _mm512_set1_epi32(static_cast<int>(dropout.threshold << 16));
    const __m512i* const words[4] = {c0, c1, c2, c3};
    for (int w = 0; w < 4; ++w) {
      const __m512i word = _mm512_mask_blend_epi32(
          0xAAAA, words[w][0], _mm512_slli_epi64(words[w][1], 32));
      kept[w * stride] =
          _mm512_cmpge_epu32_mask(_mm512_slli_epi32(word, 16), threshold);
      kept[(4 + w) * stride] = _mm512_cmpge_epu32_mask(word, threshold);
    }
  }
};

}  // namespace
}  // namespace longformer
