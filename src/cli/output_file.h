// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/io/atomic_write.h"
#include "longformer/io/direct_file.h"

namespace longformer {

/// Where a command writes its lines: a regular file, which appears complete at
/// the end; or standard output, a device or a pipe, where they appear at once.
///
/// To be made before the work: what cannot be written is an error then.
class OutputFile {
 public:
  /// "-" is standard output. `inputs` are the files that the command reads, as
  /// for refuse_to_overwrite(). Throws ConfigError and FileError.
  OutputFile(const std::string& path, const std::vector<std::string>& inputs);

  /// Throws FileError when the disk is full or nobody reads any more.
  void write(std::string_view text);
  /// Everything was written.
  void finish();

 private:
  std::optional<AtomicFile> file_;
  std::optional<DirectFile> direct_;
};

}  // namespace longformer
