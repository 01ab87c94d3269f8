// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace longformer {

/// What the system lets one process have.
struct Resources {
  std::uint64_t open_files = 0;           ///< It may have open at once.
  std::uint64_t open_files_possible = 0;  ///< It may raise that to this.
  /// Free in /dev/shm, where NCCL's ranks of one host meet, in bytes.
  std::uint64_t shared_memory_bytes = 0;
  int threads = 1;  ///< See available_threads().
};

Resources measure_resources();

/// A folder that a run writes to.
struct Folder {
  std::string purpose;  ///< "output_dir"
  std::string path;     ///< As it was given; need not exist yet.
  /// Why nothing can be written there, "" if something can.
  std::string problem;
  std::uint64_t free_bytes = 0;
};

/// Tries it: makes and removes a file in `path` or, if that does not exist, in
/// the nearest folder above it that does.
Folder examine_folder(const std::string& purpose, const std::string& path);

}  // namespace longformer
