// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace longformer {

/// Element types of stored tensors. The order is that of the safetensors
/// format, which its writers sort by.
enum class DType : std::uint8_t {
  kBool,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3FNUZ,
  kF8E5M2FNUZ,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

/// The name in safetensors files, such as "BF16".
std::string_view dtype_name(DType dtype);

/// The type called `name` in safetensors files, if there is one.
std::optional<DType> parse_dtype(std::string_view name);

/// Size of one element in bits; below 8 for the packed types.
int dtype_bits(DType dtype);

/// Bytes of `num_elements` >= 0 elements; nothing when the number does not fit
/// in 63 bits or the last byte would not be full.
std::optional<std::int64_t> dtype_bytes(DType dtype, std::int64_t num_elements);

/// True for F16, BF16, F32 and F64: what weights are stored in.
bool is_weight_dtype(DType dtype);

}  // namespace longformer
