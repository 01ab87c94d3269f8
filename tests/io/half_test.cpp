// SPDX-License-Identifier: MIT
#include "longformer/io/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/random.h"

namespace longformer {
namespace {

/// The value of binary16 bits, straight from the definition.
double half_by_definition(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// The finite half nearest to `value`, ties to even, by search over all.
std::uint16_t nearest_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return sign | 0x7C00;
  // The largest half that is not above.
  std::uint16_t low = 0;
  std::uint16_t high = 0x7BFF;
  while (low < high) {
    const auto middle = static_cast<std::uint16_t>((low + high + 1) / 2);
    if (half_by_definition(middle) <= magnitude) {
      low = middle;
    } else {
      high = static_cast<std::uint16_t>(middle - 1);
    }
  }
  if (low == 0x7BFF) return sign | low;
  const double below = magnitude - half_by_definition(low);
  const double above =
      half_by_definition(static_cast<std::uint16_t>(low + 1)) - magnitude;
  const bool is_up = above < below || (above == below && (low & 1) != 0);
  return static_cast<std::uint16_t>(sign | (low + (is_up ? 1 : 0)));
}

TEST(HalfTest, WidensEveryHalfExactlyAndBack) {
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = half_to_float(bits);
    const double expected = half_by_definition(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << i;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << i;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
    ASSERT_EQ(float_to_half(value), bits);
    ASSERT_EQ(double_to_half(expected), bits);
  }
}

TEST(HalfTest, WidensEveryBfloat16ExactlyAndBack) {
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = bfloat16_to_float(bits);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(value), i << 16);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value))));
    } else {
      ASSERT_EQ(float_to_bfloat16(value), bits);
      ASSERT_EQ(double_to_bfloat16(static_cast<double>(value)), bits);
    }
  }
}

TEST(HalfTest, NarrowsRandomFloatsToTheNearestHalf) {
  RandomStream random({1, 2}, 3);
  for (int i = 0; i < 200000; ++i) {
    // All signs and exponents from below the smallest half to above the
    // largest one.
    const float value =
        std::ldexp(static_cast<float>(random.next_u32()) - 2147483648.0F,
                   static_cast<int>(random.next_below(48)) - 60);
    ASSERT_EQ(float_to_half(value), nearest_half(value)) << value;
  }
}

TEST(HalfTest, RoundsTiesToEvenOverflowToInfinityAndKeepsSignedZero) {
  EXPECT_EQ(float_to_half(1.0F + 0x1p-11F), 0x3C00);
  EXPECT_EQ(float_to_half(1.0F + 3 * 0x1p-11F), 0x3C02);
  EXPECT_EQ(float_to_half(65519.996F), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30F), 0xFC00);
  EXPECT_EQ(float_to_half(0x1p-25F), 0x0000);
  EXPECT_EQ(float_to_half(0x1.8p-25F), 0x0001);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000);
  EXPECT_EQ(float_to_bfloat16(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0F + 3 * 0x1p-8F), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
}

TEST(HalfTest, DoublesAreRoundedOnceAndNotTwice) {
  // Just above the middle between two halves: the middle itself in float.
  const double above_middle = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(float_to_half(static_cast<float>(above_middle)), 0x3C00);
  EXPECT_EQ(double_to_half(above_middle), 0x3C01);
  EXPECT_EQ(double_to_half(-above_middle), 0xBC01);
  EXPECT_EQ(double_to_bfloat16(1.0 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(double_to_half(1e300), 0x7C00);
  EXPECT_EQ(double_to_half(-1e-300), 0x8000);
  RandomStream random({4, 5}, 6);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::ldexp(
        random.next_normal(), static_cast<int>(random.next_below(48)) - 28);
    ASSERT_EQ(double_to_half(value), nearest_half(value)) << value;
  }
}

TEST(HalfTest, FindsTheFirstValueThatIsNotFinite) {
  std::vector<float> values(10, 1.0F);
  EXPECT_FALSE(find_non_finite(values));
  values[7] = std::numeric_limits<float>::infinity();
  values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(find_non_finite(values), 5);
  const std::vector<double> wide(3, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(find_non_finite(wide), 0);
}

}  // namespace
}  // namespace longformer
