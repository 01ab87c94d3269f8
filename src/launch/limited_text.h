// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longformer {

/// `text` as valid UTF-8 of at most `max_bytes` bytes, cut between characters.
std::string limited_text(std::string_view text, std::size_t max_bytes);

}  // namespace longformer
