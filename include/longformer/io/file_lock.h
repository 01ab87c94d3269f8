// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace longformer {

/// Keeps other processes from what a lock file stands for, until the object
/// goes or the process dies, however it dies. The file is removed with the
/// object; one that a killed process left is taken over.
///
/// Where the file system has no locks, nothing is locked.
class FileLock {
 public:
  /// Creates the file at `path` and locks it; empty if another process (or
  /// another object of this one) holds it.
  ///
  /// Throws FileError if the file cannot be created.
  static std::optional<FileLock> try_take(const std::string& path);

  FileLock(FileLock&&) noexcept;
  FileLock& operator=(FileLock&&) noexcept;
  ~FileLock();

  /// Whether the file is still there under its name; false when somebody has
  /// removed or replaced it, or the folder that it lies in.
  bool is_in_place() const;

 private:
  struct Held;
  explicit FileLock(std::unique_ptr<Held> held);

  std::unique_ptr<Held> held_;
};

/// Number of the process that holds the lock file at `path`, as it wrote it
/// there itself; empty if it has not.
std::string holder_of_lock(const std::string& path);

}  // namespace longformer
