// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "weight_layout.h"

namespace longformer {

/// Checks a whole safetensors file (`content`) and returns where its tensors
/// lie, in the order of the data.
///
/// Refused, beyond what is not JSON: a header above 100,000,000 bytes or not
/// starting with {, a name or field twice, unknown dtypes, shapes or offsets
/// that are not non-negative integers, sizes that do not agree with dtype and
/// shape, overlaps, unused bytes between tensors or at the end. Throws
/// FormatError. Memory: about the header's size.
WeightLayout read_safetensors_header(std::string_view content);

}  // namespace longformer
