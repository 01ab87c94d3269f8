// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace longformer {

/// One file inside a zip archive.
struct ZipRecord {
  std::string name;          ///< Never used as a path.
  std::uint64_t offset = 0;  ///< Of its data, from the archive's start.
  std::uint64_t size = 0;    ///< Unpacked.
  std::uint64_t stored_size = 0;
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  ///< 0: not compressed.

  bool is_stored() const { return method == 0 && size == stored_size; }
};

/// The directory of a zip archive (also with 64-bit sizes). Checked: that it is
/// whole, that every record lies before it, that each local header agrees, and
/// that no name appears twice. Nothing is unpacked.
///
/// Threads: const members may be called from several threads.
class ZipArchive {
 public:
  /// `file` is the whole archive; it is not needed afterwards. Throws
  /// FormatError.
  explicit ZipArchive(std::string_view file);

  const std::vector<ZipRecord>& records() const { return records_; }
  /// Nothing if there is no record of that name.
  const ZipRecord* find(std::string_view name) const;

 private:
  std::vector<ZipRecord> records_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace longformer
