// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longformer/config/command_options.h"
#include "longformer/io/dtype.h"

namespace longformer {

/// The type that `dtype` asks for; nothing for kAuto.
std::optional<DType> wanted_dtype(WeightType type);

/// How config.json spells a weight type ("float16").
std::string dtype_in_config(DType dtype);

/// Rows 0 .. kept - 1, then rows kept .. old_rows - 1 over and over, up to
/// new_rows. `bytes`: old_rows rows of equal size.
std::vector<std::byte> tile_rows(std::span<const std::byte> bytes,
                                 std::int64_t old_rows, std::int64_t new_rows,
                                 std::int64_t kept);

/// Index of the first NaN or infinity among weights of type `type`.
std::optional<std::size_t> first_non_finite(std::span<const std::byte> bytes,
                                            DType type);

/// Weights of type `from` as type `to`, rounded to nearest where they have to
/// be. Throws ModelError naming `tensor` when a finite value becomes infinite.
std::vector<std::byte> convert_weights(std::span<const std::byte> bytes,
                                       DType from, DType to,
                                       const std::string& tensor);

}  // namespace longformer
