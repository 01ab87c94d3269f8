// SPDX-License-Identifier: MIT
#include "longformer/io/half.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace longformer {
namespace {

constexpr std::uint32_t kFloatSign = 0x80000000U;
constexpr std::uint32_t kFloatInfinity = 0x7F800000U;

/// Double to float, where an inexact result has its last bit set ("round to
/// odd"). Rounding that to nearest with at least two fewer bits gives what one
/// rounding of the double would (Boldo and Melquiond 2008, "Emulation of FMA
/// and correctly rounded sums: proved algorithms using rounding to odd").
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) {
    return nearest;
  }
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  if ((bits & 1U) != 0 && !std::isinf(nearest)) return nearest;
  // The other neighbour of the double: its last bit is 1.
  const bool rounded_up =
      std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>(rounded_up ? bits - 1 : bits + 1);
}

/// Whether no value is infinite or NaN, whose exponents are all ones. Adding
/// one to the exponent carries into the sign then, and only then: three
/// operations a value that compilers vectorize, so that the check costs no
/// more than reading the memory.
template <class Bits, class Value>
bool all_finite(std::span<const Value> values) {
  constexpr int kFraction = std::numeric_limits<Value>::digits - 1;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits kOne = Bits{1} << kFraction;
  constexpr Bits kExponent = kSign - kOne;
  constexpr std::size_t kBlock = 64;
  Bits carries[kBlock] = {};
  std::size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock) {
    for (std::size_t j = 0; j < kBlock; ++j) {
      carries[j] |= (std::bit_cast<Bits>(values[i + j]) & kExponent) + kOne;
    }
  }
  Bits carry = 0;
  for (; i < values.size(); ++i) {
    carry |= (std::bit_cast<Bits>(values[i]) & kExponent) + kOne;
  }
  for (const Bits other : carries) carry |= other;
  return (carry & kSign) == 0;
}

template <class Bits, class Value>
std::optional<std::size_t> first_non_finite(std::span<const Value> values) {
  if (all_finite<Bits>(values)) return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {  // Infinity or NaN: the payload stays.
    return std::bit_cast<float>(sign | kFloatInfinity |
                                (magnitude & 0x3FFU) << 13);
  }
  if (magnitude >= 0x400U) {  // Normal: the exponent's bias goes 15 -> 127.
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112U << 23)));
  }
  // Subnormal: an integer multiple of 2^-24, which is normal in float.
  const float value = static_cast<float>(magnitude) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kFloatSign) >> 16);
  const std::uint32_t magnitude = bits & ~kFloatSign;
  if (magnitude > kFloatInfinity) {  // NaN stays NaN, made quiet.
    return static_cast<std::uint16_t>(sign | 0x7E00U |
                                      (magnitude >> 13 & 0x3FFU));
  }
  if (magnitude >= 0x477FF000U) {  // At least 65520: rounds to infinity.
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < 0x38800000U) {  // Below 2^-14: subnormal.
    // Adding 0.5 puts multiples of 2^-24 into the last bits; the addition
    // rounds to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
  }
  const std::uint32_t odd = magnitude >> 13 & 1U;
  const std::uint32_t rounded = magnitude - (112U << 23) + 0xFFFU + odd;
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & ~kFloatSign) > kFloatInfinity) {
    return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  }
  const std::uint32_t odd = bits >> 16 & 1U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16);
}

std::uint16_t double_to_half(double value) {
  return float_to_half(round_to_odd(value));
}

std::uint16_t double_to_bfloat16(double value) {
  return float_to_bfloat16(round_to_odd(value));
}

std::optional<std::size_t> find_non_finite(std::span<const float> values) {
  return first_non_finite<std::uint32_t>(values);
}

std::optional<std::size_t> find_non_finite(std::span<const double> values) {
  return first_non_finite<std::uint64_t>(values);
}

}  // namespace longformer
