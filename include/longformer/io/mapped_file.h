// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

namespace longformer {

/// A regular file, mapped read-only.
///
/// Limit: touching mapped bytes of a file that another process shortened
/// meanwhile ends this process (SIGBUS). read_at() and make_present() have no
/// such limit; the mapping is meant for small structures, for caches that only
/// this program writes, and for weights that are only read (is_unchanged()).
///
/// Threads: const members may be called from several threads.
class MappedFile {
 public:
  /// Throws FileError; also for folders, pipes and devices.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }

  /// Copies bytes [offset, offset + destination.size()) without touching the
  /// mapping, so nothing of the file stays in this process's memory. Throws
  /// FileError on a read error or when the file has become too short.
  void read_at(std::uint64_t offset, std::span<std::byte> destination) const;

  /// Makes a range of the mapping readable without further reading of the file.
  /// False if this kernel cannot (before 5.14). Throws FileError as read_at().
  bool make_present(std::uint64_t offset, std::uint64_t size) const;

  /// Whether nobody has written to the file since it was opened, by its size
  /// and time of modification. A file that took its place does not count.
  bool is_unchanged() const;

  /// Gives the pages of a range back (they are read again when touched).
  void release(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
  timespec modified_{};
};

}  // namespace longformer
