// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// RFC 4648, section 4, with padding; nullopt if `text` is anything else.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace longformer
