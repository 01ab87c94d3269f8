// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longformer/io/atomic_write.h"

namespace longformer {

/// Where a command writes its lines: a file that appears complete at the end,
/// or standard output, line by line.
class OutputFile {
 public:
  /// "-" is standard output.
  explicit OutputFile(const std::string& path);

  /// Throws SystemError when the disk is full or nobody reads any more.
  void write(std::string_view text);
  /// Everything was written.
  void finish();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace longformer
