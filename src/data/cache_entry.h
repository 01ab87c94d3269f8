// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longformer/data/dataset.h"

namespace longformer {

/// A data set as it is kept in a file, with what was reported when it was made.
struct CacheEntry {
  DatasetColumns columns;  ///< Without `files` and `options`.
  std::int64_t bad_rows = 0;
  std::int64_t replaced_sequences = 0;
};

/// Writes an entry durably; it appears under `path` as a whole.
///
/// Layout: a header with the size of each array, the arrays at multiples of 64
/// bytes, and the digest of everything before it. Numbers are little-endian.
/// Throws FileError.
void write_cache_entry(const std::string& path, const CacheEntry& entry);

/// Maps an entry. Nothing, with the reason in `problem`, if the file is not a
/// complete entry of this version; nothing with an empty reason if there is no
/// file.
std::optional<CacheEntry> read_cache_entry(const std::string& path,
                                           std::string& problem);

}  // namespace longformer
