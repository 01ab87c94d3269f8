// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longformer/io/mapped_file.h"

namespace longformer {

/// Copies a strided view of elements in a file into a dense row-major array.
/// The file is read in pieces of about 1 MiB, in its own order, each piece
/// once: cost and memory do not depend on how the view is permuted.
///
/// `offset`: of the first element, in bytes. `strides`: in elements, >= 0;
/// axes with other strides than 0 must not overlap. `item_bytes`: 1, 2, 4 or
/// 8. Everything must lie inside the file, and `destination` must have the
/// size of all elements.
void read_view(const MappedFile& file, std::uint64_t offset,
               const std::vector<std::int64_t>& shape,
               const std::vector<std::int64_t>& strides, int item_bytes,
               std::span<std::byte> destination);

/// Reverses the bytes of each item.
void swap_byte_order(std::span<std::byte> items, int item_bytes);

}  // namespace longformer
