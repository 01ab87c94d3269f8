// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longformer/base/error.h"

namespace longformer {

/// The operating system refused an operation on a file. The message names the
/// path, the operation and the system's reason.
class FileError : public SystemError {
 public:
  FileError(const std::string& message, int error_number)
      : SystemError(message), error_number_(error_number) {}

  /// As errno, for example ENOENT.
  int error_number() const { return error_number_; }

 private:
  int error_number_;
};

/// The largest file that read_file() takes unless told otherwise.
inline constexpr std::uint64_t kReadFileLimit = std::uint64_t{1} << 30;

/// The whole content of a file. Throws FileError, also when the path names a
/// folder or a device, or the file is longer than `max_bytes`.
std::string read_file(const std::string& path,
                      std::uint64_t max_bytes = kReadFileLimit);

/// Follow symbolic links; false when nothing is there or may be looked at.
bool exists(const std::string& path);
bool is_directory(const std::string& path);

/// Device and number: what tells a file or folder from all others that exist,
/// whatever they are called. Empty if the path leads nowhere.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;
std::optional<FileIdentity> file_identity(const std::string& path);
/// Whether an open file is still the one that `path` leads to.
bool is_file_at(int descriptor, const std::string& path);

/// Whether two paths lead to one file, folder or named pipe, also by links.
bool is_same_file(const std::string& one, const std::string& other);

/// Size of a regular file. Throws FileError.
std::uint64_t file_bytes(const std::string& path);

struct DirectoryEntry {
  std::string name;  ///< Without the folder.
  bool is_directory = false;
};

/// Entries of a folder, sorted by name (bytewise). Throws FileError.
std::vector<DirectoryEntry> list_directory(const std::string& path);

/// Creates the folder and its parents where missing. Throws FileError.
void create_directories(const std::string& path);

/// Removes a file or a folder with everything in it; symbolic links are
/// removed, not followed. No error if nothing is there. Throws FileError.
void remove_tree(const std::string& path);

/// Bytes that this user may still write to the file system of `path` (or of
/// its nearest existing parent). Throws FileError.
std::uint64_t free_bytes(const std::string& path);

/// `directory` and `name` with one slash between them.
std::string join_path(std::string_view directory, std::string_view name);

/// The folder that holds `path` ("." for a bare name), and its last part.
/// Slashes at the end are ignored.
std::string parent_path(std::string_view path);
std::string file_name(std::string_view path);

/// Makes entries that were created, renamed or removed in a folder durable.
/// Throws FileError.
void sync_directory(const std::string& path);

}  // namespace longformer
