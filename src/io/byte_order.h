// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace longformer {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and are copied as they are");

/// The number at the start of `bytes`, which holds at least its size.
template <class Number>
Number read_little_endian(std::string_view bytes) {
  Number value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

}  // namespace longformer
