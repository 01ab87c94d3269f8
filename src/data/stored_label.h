// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "longformer/data/record.h"

namespace longformer {

/// Appends a compact form of `label` that stored_label() reads.
void append_stored_label(const RawLabel& label, std::vector<char>& bytes);

/// The label whose form is exactly `bytes`.
/// Throws DataError if they are no such form (a damaged cache).
RawLabel stored_label(std::span<const char> bytes);

}  // namespace longformer
