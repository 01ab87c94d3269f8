// SPDX-License-Identifier: MIT
#include "longformer/io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "longformer/io/file_system.h"

#include "file_operations.h"

namespace longformer {
namespace {

/// Small enough for the pages that the kernel clears to be in the processor's
/// cache still when they are written.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

/// Gives a large destination its pages in one go: in fresh memory, one fault a
/// page is half of what reading a cached file costs, and a model is usually
/// read into fresh memory. Kernels before 5.14 do not know the request; any
/// failure just leaves the faults as they were.
void give_pages(std::span<std::byte> destination) {
#ifdef MADV_POPULATE_WRITE
  if (destination.size() < kReadBytes) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto data = reinterpret_cast<std::uintptr_t>(destination.data());
  const std::uintptr_t begin = data / page * page;
  ::madvise(reinterpret_cast<void*>(begin), data + destination.size() - begin,
            MADV_POPULATE_WRITE);
#endif
}

/// Zero where the file system does not say.
timespec modification_time(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_mtim : timespec{};
}

[[noreturn]] void fail_shortened(const std::string& path, std::uint64_t offset,
                                 std::uint64_t wanted,
                                 const std::string& found) {
  throw FileError(path + ": cannot read " + std::to_string(wanted) +
                      " bytes at offset " + std::to_string(offset) +
                      ": the file ends " + found +
                      "; it was changed while it was read",
                  EIO);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  auto file = file_operations::open_regular_file(path);
  size_ = file_operations::size_of(file, path);
  modified_ = modification_time(file.get());
  if (size_ > 0) {
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) file_operations::fail(path, "map", errno);
    data_ = static_cast<const std::byte*>(data);
  }
  descriptor_ = file.release();
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modified_(other.modified_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(modified_, other.modified_);
  return *this;
}

void MappedFile::read_at(std::uint64_t offset,
                         std::span<std::byte> destination) const {
  std::size_t count = 0;
  for (std::size_t wanted = 0; count == wanted && count < destination.size();) {
    const auto part = destination.subspan(count).first(
        std::min(kReadBytes, destination.size() - count));
    give_pages(part);
    count += file_operations::read_at(descriptor_, path_, offset + count,
                                      reinterpret_cast<char*>(part.data()),
                                      part.size());
    wanted += part.size();
  }
  if (count < destination.size()) {
    fail_shortened(path_, offset, destination.size(),
                   "after " + std::to_string(count) + " of them");
  }
}

bool MappedFile::make_present(std::uint64_t offset, std::uint64_t size) const {
#ifdef MADV_POPULATE_READ
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = offset / page * page;
  if (::madvise(const_cast<std::byte*>(data_) + begin, offset + size - begin,
                MADV_POPULATE_READ) == 0) {
    return true;
  }
  // What would be SIGBUS on a plain access.
  if (errno == EFAULT) fail_shortened(path_, offset, size, "before them");
#endif
  return false;
}

bool MappedFile::is_unchanged() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) == size_ &&
         status.st_mtim.tv_sec == modified_.tv_sec &&
         status.st_mtim.tv_nsec == modified_.tv_nsec;
}

void MappedFile::release(std::uint64_t offset, std::uint64_t size) const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  // Whole pages inside the range: neighbours keep theirs.
  const std::uint64_t begin = (offset + page - 1) / page * page;
  const std::uint64_t end =
      offset + size == size_ ? size_ : (offset + size) / page * page;
  if (data_ == nullptr || begin >= end) return;
  ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace longformer
