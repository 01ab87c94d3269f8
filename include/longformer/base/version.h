// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace longformer {

/// Of the program, such as "1.2.0".
std::string_view program_version();

}  // namespace longformer
