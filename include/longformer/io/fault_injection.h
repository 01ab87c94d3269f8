// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace longformer {

/// One system call that the io layer is about to make to change files.
struct FileOperation {
  const char* name;  ///< "open", "write", "fsync", "close", "rename", ...
  const std::string& path;
  /// For "write": bytes about to be written; may be lowered to make the call
  /// short.
  std::size_t* bytes;
};

/// For tests only: decides about every writing system call of the io layer.
/// Returns 0 to let it happen or an errno with which it fails instead.
using FileFaultHook = std::function<int(const FileOperation&)>;

/// Installs a hook for its own lifetime. One at a time; calls come from
/// whatever thread writes.
class ScopedFileFaults {
 public:
  explicit ScopedFileFaults(FileFaultHook hook);
  ~ScopedFileFaults();
  ScopedFileFaults(const ScopedFileFaults&) = delete;
  ScopedFileFaults& operator=(const ScopedFileFaults&) = delete;
};

}  // namespace longformer
