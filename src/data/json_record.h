// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/data/record_reader.h"

#include "row_splitter.h"

namespace longformer {

/// Turns row.json into row.record, or sets row.problem. The text is consumed.
/// Throws nothing of its own. Threads: may run for several rows at once.
void parse_json_row(RawRow& row, const ReaderSettings& settings);

/// Replaces \uD800 ... \uDFFF escapes that are no pair by \uFFFD, which JSON
/// parsers would refuse; returns how many.
std::int64_t repair_surrogate_escapes(std::string& json);

}  // namespace longformer
