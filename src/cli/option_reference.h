// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace longformer {

/// Writes README.md and schema.json, which are generated from the list of
/// options, into `directory`. Throws FileError.
void write_option_reference(const std::string& directory);

}  // namespace longformer
