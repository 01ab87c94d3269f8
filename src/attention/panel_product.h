// SPDX-License-Identifier: MIT
//
// Small matrix products out of registers, for the window kernel. Internal
// linkage; see vector_avx512.h.
#pragma once

#include <cstdint>

namespace longformer {
namespace {

/// What the sums of a product start from.
enum class Start {
  kZero,
  kAdd,     ///< What C holds.
  kScaled,  ///< What C holds, times a factor per row.
};

/// C[m][n] = start + sum over k of A(m, k) B[k][n], for whole vectors of n.
struct Product {
  const float* a = nullptr;   ///< A(m, k) lies at a[m * a_stride + k], or,
  std::int64_t a_stride = 0;  ///< transposed, at a[k * a_stride + m].
  const float* b = nullptr;
  std::int64_t b_stride = 0;
  float* c = nullptr;
  std::int64_t c_stride = 0;
  std::int64_t depth = 0;  ///< Number of k.
  Start start = Start::kAdd;
  const float* factors = nullptr;  ///< [rows of C] for kScaled.
};

/// Row m meets only the columns n (or depths k) with
/// |m + offset - n| <= reach; the rest of the matrix is 0 or not wanted.
struct Band {
  std::int64_t offset = 0;
  std::int64_t reach = 0;
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// What rows [row, row + rows) of a band meet of [0, size).
inline Range band_range(const Band* band, std::int64_t row, std::int64_t rows,
                        std::int64_t size) {
  if (band == nullptr) return {0, size};
  const auto bounded = [size](std::int64_t x) {
    return x < 0 ? 0 : x > size ? size : x;
  };
  const std::int64_t middle = row + band->offset;
  return {bounded(middle - band->reach), bounded(middle + rows + band->reach)};
}

/// kRows rows of C by kVectors vectors, all sums in registers.
template <class V, int kRows, int kVectors, bool kTransposed>
[[gnu::noinline]] void multiply_panel(const Product& p) {
  constexpr int kWidth = V::kWidth;
  typename V::Float sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
    for (int n = 0; n < kVectors; ++n) sums[m][n] = V::zero();
  }
  if (p.start != Start::kZero) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const auto factor =
          V::broadcast(p.start == Start::kScaled ? p.factors[m] : 1.0F);
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        sums[m][n] =
            V::multiply(factor, V::load(p.c + m * p.c_stride + n * kWidth));
      }
    }
  }
  const float* a = p.a;
  const float* b = p.b;
  const std::int64_t row_step = kTransposed ? 1 : p.a_stride;
  const std::int64_t depth_step = kTransposed ? p.a_stride : 1;
  for (std::int64_t k = 0; k < p.depth; ++k) {
    typename V::Float row[kVectors];
#pragma GCC unroll 4
    for (int n = 0; n < kVectors; ++n) row[n] = V::load(b + n * kWidth);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const auto element = V::broadcast(a[m * row_step]);
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        sums[m][n] = V::fma(element, row[n], sums[m][n]);
      }
    }
    a += depth_step;
    b += p.b_stride;
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
    for (int n = 0; n < kVectors; ++n) {
      V::store(p.c + m * p.c_stride + n * kWidth, sums[m][n]);
    }
  }
}

/// multiply_panel with a number of rows, at most kRows, known at run time.
template <class V, int kRows, int kVectors, bool kTransposed>
void multiply_rows(std::int64_t rows, const Product& p) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      multiply_panel<V, kRows, kVectors, kTransposed>(p);
    } else {
      multiply_rows<V, kRows - 1, kVectors, kTransposed>(rows, p);
    }
  }
}

/// All rows of C, kVectors vectors of each. With a band, row m meets only the
/// depths in the band.
template <class V, int kVectors, bool kTransposed>
void multiply_strip(std::int64_t rows, const Product& p, const Band* band) {
  constexpr int kRows = V::product_rows(kVectors);
  const std::int64_t row_step = kTransposed ? 1 : p.a_stride;
  const std::int64_t depth_step = kTransposed ? p.a_stride : 1;
  for (std::int64_t m = 0; m < rows; m += kRows) {
    const std::int64_t count = rows - m < kRows ? rows - m : kRows;
    const Range depths = band_range(band, m, count, p.depth);
    if (depths.begin == depths.end && p.start == Start::kAdd) continue;
    Product part = p;
    part.a += m * row_step + depths.begin * depth_step;
    part.b += depths.begin * p.b_stride;
    part.c += m * p.c_stride;
    part.depth = depths.end - depths.begin;
    if (p.factors != nullptr) part.factors += m;
    multiply_rows<V, kRows, kVectors, kTransposed>(count, part);
  }
}

/// `rows` rows of C, `columns` (a multiple of the vector's width) wide.
template <class V, bool kTransposed>
void multiply(std::int64_t rows, std::int64_t columns, const Product& p,
              const Band* band = nullptr) {
  Product part = p;
  std::int64_t vectors = columns / V::kWidth;
  const auto advance = [&](int done) {
    vectors -= done;
    part.b += done * V::kWidth;
    part.c += done * V::kWidth;
  };
  while (vectors >= V::kMaxVectors) {
    multiply_strip<V, V::kMaxVectors, kTransposed>(rows, part, band);
    advance(V::kMaxVectors);
  }
  if constexpr (V::kMaxVectors > 2) {
    if (vectors == 3) multiply_strip<V, 3, kTransposed>(rows, part, band);
    if (vectors == 2) multiply_strip<V, 2, kTransposed>(rows, part, band);
  }
  if (vectors == 1) multiply_strip<V, 1, kTransposed>(rows, part, band);
}

/// Like multiply with Start::kZero and A not transposed, but with a band row m
/// gets only the columns in the band, rounded out to whole vectors.
template <class V>
void multiply_band_columns(std::int64_t rows, std::int64_t columns,
                           const Product& p, const Band* band) {
  constexpr int kRows = V::product_rows(V::kMaxVectors);
  for (std::int64_t m = 0; m < rows; m += kRows) {
    const std::int64_t count = rows - m < kRows ? rows - m : kRows;
    const Range wanted = band_range(band, m, count, columns);
    Product part = p;
    part.a += m * p.a_stride;
    part.c += m * p.c_stride;
    for (std::int64_t n = wanted.begin / V::kWidth * V::kWidth; n < wanted.end;
         n += V::kMaxVectors * V::kWidth) {
      part.b = p.b + n;
      part.c = p.c + m * p.c_stride + n;
      const std::int64_t vectors = (wanted.end - n + V::kWidth - 1) / V::kWidth;
      if (vectors >= V::kMaxVectors) {
        multiply_rows<V, kRows, V::kMaxVectors, false>(count, part);
      } else if (vectors == 1) {
        multiply_rows<V, kRows, 1, false>(count, part);
      } else if constexpr (V::kMaxVectors > 2) {
        if (vectors == 3) multiply_rows<V, kRows, 3, false>(count, part);
        if (vectors == 2) multiply_rows<V, kRows, 2, false>(count, part);
      }
    }
  }
}

}  // namespace
}  // namespace longformer
