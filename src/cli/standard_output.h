// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace longformer {

/// Appends to what goes to standard output. Throws SystemError if it cannot be
/// written.
void print(std::string_view text);

/// Everything that was printed has been written, or SystemError is thrown.
void finish_printing();

}  // namespace longformer
