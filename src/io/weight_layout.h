// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longformer/io/weight_file.h"

namespace longformer {

/// More tensors than this in one file are refused: it bounds the memory that
/// a file's index can ask for.
inline constexpr std::size_t kMaxTensors = std::size_t{1} << 18;

/// More dimensions than this in one tensor are refused (as LibTorch does).
inline constexpr std::size_t kMaxDimensions = 64;

/// Where the elements of one tensor lie in the file.
struct StoredTensor {
  std::uint64_t offset = 0;  ///< Of the first element, from the file's start.
  /// Distances between elements, in elements, one a dimension; empty when the
  /// elements are dense and in row-major order.
  std::vector<std::int64_t> strides;
  bool swap_bytes = false;            ///< Elements are big-endian.
  std::optional<std::size_t> record;  ///< Into WeightLayout::records.
};

/// A part of the file that carries a CRC-32.
struct ChecksumRecord {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
};

/// What a reader of one format found; every range lies inside the file.
struct WeightLayout {
  std::vector<WeightEntry> entries;
  std::vector<StoredTensor> stored;  ///< Parallel to `entries`.
  std::vector<ChecksumRecord> records;

  /// Appends one tensor, whose counts and index are filled in here from dtype
  /// and shape (already known to be in range).
  void add(std::string name, DType dtype, std::vector<std::int64_t> shape,
           StoredTensor where);
};

/// Product of a shape whose dimensions are >= 0; nothing if it does not fit in
/// 63 bits (a partial product counts, as a zero may follow).
std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape);

/// Refuses two tensors of one name.
void check_names_unique(const std::vector<WeightEntry>& entries);

}  // namespace longformer
