// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>

namespace longformer {

/// Conversions between the bits of 16-bit floating-point types and float.
/// Widening is exact (subnormals, signed zeros, infinities, NaN payloads);
/// narrowing rounds to nearest, ties to even, and overflows to infinity.

/// IEEE binary16 to float.
float half_to_float(std::uint16_t bits);

/// Float to IEEE binary16.
std::uint16_t float_to_half(float value);

/// The upper half of a float.
inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bfloat16(float value);

/// Double to the 16-bit types with one rounding (through float there would be
/// two, and some results would be off by one unit).
std::uint16_t double_to_half(double value);
std::uint16_t double_to_bfloat16(double value);

/// Index of the first NaN or infinity.
std::optional<std::size_t> find_non_finite(std::span<const float> values);
std::optional<std::size_t> find_non_finite(std::span<const double> values);

}  // namespace longformer
