// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace longformer {

/// "64 MiB", "15.8 GiB"
std::string byte_text(std::uint64_t bytes);

}  // namespace longformer
