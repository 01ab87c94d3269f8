// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace longformer {

/// Where the path that somebody gave for a result leads.
struct OutputPlace {
  enum class Kind {
    kFile,        ///< A regular file, or nothing yet: may be replaced.
    kStream,      ///< A device, pipe or socket: only ever written into.
    kDescriptor,  ///< A file that is open here already (/dev/fd/3).
  };
  Kind kind = Kind::kFile;
  /// With symbolic links followed, so that a link stays a link.
  std::string path;
  int descriptor = -1;  ///< Of kDescriptor.
};

/// Follows `path`. Throws ConfigError if it is empty; FileError, which names
/// `path` and says what to do, if no file can be there: it is a folder, or its
/// folder is missing.
OutputPlace find_output_place(const std::string& path);

}  // namespace longformer
