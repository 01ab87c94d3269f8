// SPDX-License-Identifier: MIT
#include "longformer/io/file_system.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "longformer/io/digest.h"

#include "file_operations.h"

namespace longformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

std::string_view without_end_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t max_bytes) {
  const auto file = file_operations::open_regular_file(path);
  const auto refuse_beyond_limit = [&](std::uint64_t bytes) {
    if (bytes <= max_bytes) return;
    throw FileError(path + ": has " + std::to_string(bytes) +
                        " bytes or more, at most " + std::to_string(max_bytes) +
                        " are accepted here",
                    EFBIG);
  };
  std::string content;
  // The size is only a guess: files of the kernel say 0.
  std::size_t wanted = file_operations::size_of(file, path) + 1;
  while (true) {
    refuse_beyond_limit(wanted - 1);
    const std::size_t before = content.size();
    content.resize(wanted);
    content.resize(before + file_operations::read_at(file.get(), path, before,
                                                     content.data() + before,
                                                     wanted - before));
    if (content.size() < wanted) return content;
    wanted += kChunkBytes;
  }
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::optional<FileIdentity> file_identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity(status.st_dev, status.st_ino);
}

bool is_file_at(int descriptor, const std::string& path) {
  struct stat opened {};
  return ::fstat(descriptor, &opened) == 0 &&
         file_identity(path) == FileIdentity(opened.st_dev, opened.st_ino);
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  if (::stat(one.c_str(), &first) != 0 || ::stat(other.c_str(), &second) != 0) {
    return false;
  }
  // One terminal or socket may well be read and written.
  const bool counts = S_ISREG(first.st_mode) || S_ISDIR(first.st_mode) ||
                      S_ISFIFO(first.st_mode);
  return counts && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::uint64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) file_operations::fail(path, "read its size", error.value());
  return bytes;
}

std::vector<DirectoryEntry> list_directory(const std::string& path) {
  std::error_code error;
  std::vector<DirectoryEntry> entries;
  for (fs::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unknown;
    entries.push_back(
        {at->path().filename().string(), at->is_directory(unknown)});
  }
  if (error) file_operations::fail(path, "list the folder", error.value());
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) {
              return a.name < b.name;
            });
  return entries;
}

void create_directories(const std::string& path) {
  if (path.empty() || is_directory(path)) return;
  create_directories(parent_path(path));
  try {
    file_operations::make_directory(path);
  } catch (const FileError& error) {
    // Another process may have made it meanwhile.
    if (error.error_number() != EEXIST || !is_directory(path)) throw;
  }
}

void remove_tree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) file_operations::fail(path, "remove", error.value());
}

std::uint64_t free_bytes(const std::string& path) {
  std::string existing = path.empty() ? "." : path;
  while (!exists(existing) && existing != "." && existing != "/") {
    existing = parent_path(existing);
  }
  struct statvfs status {};
  if (::statvfs(existing.c_str(), &status) != 0) {
    file_operations::fail(existing, "read its free space", errno);
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

std::string parent_path(std::string_view path) {
  path = without_end_slashes(path);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(without_end_slashes(path.substr(0, slash + 1)));
}

std::string file_name(std::string_view path) {
  path = without_end_slashes(path);
  return std::string(path.substr(path.rfind('/') + 1));
}

void sync_directory(const std::string& path) {
  file_operations::sync(file_operations::open_directory(path), path);
}

FileDigest digest_file(const std::string& path) {
  const auto file = file_operations::open_regular_file(path);
  std::string chunk(kChunkBytes, '\0');
  Digest digest;
  std::uint64_t bytes = 0;
  while (const std::size_t count = file_operations::read_at(
             file.get(), path, bytes, chunk.data(), chunk.size())) {
    digest.update(std::string_view(chunk).substr(0, count));
    bytes += count;
  }
  return {path, bytes, digest.hex()};
}

}  // namespace longformer
