// SPDX-License-Identifier: MIT
#include "longformer/io/dtype.h"

#include <array>
#include <cstddef>

namespace longformer {
namespace {

struct DTypeInfo {
  std::string_view name;
  int bits;
};

/// In the order of the enumerators.
constexpr std::array<DTypeInfo, 22> kDTypes = {{
    {"BOOL", 8},    {"F4", 4},          {"F6_E2M3", 6},     {"F6_E3M2", 6},
    {"U8", 8},      {"I8", 8},          {"F8_E5M2", 8},     {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},        {"BF16", 16},       {"I32", 32},
    {"U32", 32},    {"F32", 32},        {"C64", 64},        {"F64", 64},
    {"I64", 64},    {"U64", 64},
}};
static_assert(static_cast<std::size_t>(DType::kU64) + 1 == kDTypes.size());

const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

}  // namespace

std::string_view dtype_name(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int dtype_bits(DType dtype) { return info(dtype).bits; }

std::optional<std::int64_t> dtype_bytes(DType dtype,
                                        std::int64_t num_elements) {
  std::int64_t bits = 0;
  if (num_elements < 0 ||
      __builtin_mul_overflow(num_elements, dtype_bits(dtype), &bits) ||
      bits % 8 != 0) {
    return std::nullopt;
  }
  return bits / 8;
}

bool is_weight_dtype(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 ||
         dtype == DType::kF32 || dtype == DType::kF64;
}

}  // namespace longformer
