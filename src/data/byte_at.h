// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace longformer {

/// The byte at `i` of `text` as a number from 0 to 255.
inline unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

}  // namespace longformer
