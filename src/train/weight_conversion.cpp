// SPDX-License-Identifier: MIT
#include "weight_conversion.h"

#include <cmath>
#include <cstring>

#include "longformer/base/error.h"
#include "longformer/io/half.h"

namespace longformer {
namespace {

template <class T>
T element(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void set_element(std::vector<std::byte>& bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

double widened(std::span<const std::byte> bytes, std::size_t i, DType from) {
  switch (from) {
    case DType::kF16:
      return half_to_float(element<std::uint16_t>(bytes, i));
    case DType::kBF16:
      return bfloat16_to_float(element<std::uint16_t>(bytes, i));
    case DType::kF32:
      return element<float>(bytes, i);
    default:
      return element<double>(bytes, i);
  }
}

/// Stores `value` and returns what was stored.
double narrow(double value, std::vector<std::byte>& bytes, std::size_t i,
              DType to) {
  switch (to) {
    case DType::kF16: {
      const std::uint16_t bits = double_to_half(value);
      set_element(bytes, i, bits);
      return half_to_float(bits);
    }
    case DType::kBF16: {
      const std::uint16_t bits = double_to_bfloat16(value);
      set_element(bytes, i, bits);
      return bfloat16_to_float(bits);
    }
    case DType::kF32:
      set_element(bytes, i, static_cast<float>(value));
      return static_cast<float>(value);
    default:
      set_element(bytes, i, value);
      return value;
  }
}

std::size_t bytes_of(DType dtype) {
  return static_cast<std::size_t>(dtype_bits(dtype)) / 8;
}

}  // namespace

std::optional<DType> wanted_dtype(WeightType type) {
  switch (type) {
    case WeightType::kFloat64:
      return DType::kF64;
    case WeightType::kFloat32:
      return DType::kF32;
    case WeightType::kFloat16:
      return DType::kF16;
    case WeightType::kBFloat16:
      return DType::kBF16;
    case WeightType::kAuto:
      break;
  }
  return std::nullopt;
}

std::string dtype_in_config(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return "float64";
    case DType::kF16:
      return "float16";
    case DType::kBF16:
      return "bfloat16";
    default:
      return "float32";
  }
}

std::vector<std::byte> tile_rows(std::span<const std::byte> bytes,
                                 std::int64_t old_rows, std::int64_t new_rows,
                                 std::int64_t kept) {
  const std::size_t row_bytes =
      bytes.size() / static_cast<std::size_t>(old_rows);
  std::vector<std::byte> tiled(static_cast<std::size_t>(new_rows) * row_bytes);
  for (std::int64_t row = 0; row < new_rows; ++row) {
    const std::int64_t source =
        row < kept ? row : kept + (row - kept) % (old_rows - kept);
    std::memcpy(tiled.data() + static_cast<std::size_t>(row) * row_bytes,
                bytes.data() + static_cast<std::size_t>(source) * row_bytes,
                row_bytes);
  }
  return tiled;
}

std::optional<std::size_t> first_non_finite(std::span<const std::byte> bytes,
                                            DType type) {
  const std::size_t count = bytes.size() / bytes_of(type);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(widened(bytes, i, type))) return i;
  }
  return std::nullopt;
}

std::vector<std::byte> convert_weights(std::span<const std::byte> bytes,
                                       DType from, DType to,
                                       const std::string& tensor) {
  const std::size_t count = bytes.size() / bytes_of(from);
  std::vector<std::byte> result(count * bytes_of(to));
  for (std::size_t i = 0; i < count; ++i) {
    const double value = widened(bytes, i, from);
    if (std::isinf(narrow(value, result, i, to)) && std::isfinite(value)) {
      throw ModelError("tensor " + tensor + ": " + std::to_string(value) +
                       " is too large for " + dtype_in_config(to) +
                       "; choose bfloat16 or float32");
    }
  }
  return result;
}

}  // namespace longformer
