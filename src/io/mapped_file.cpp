// SPDX-License-Identifier: MIT
#include "longformer/io/mapped_file.h"

#include <sys/mman.h>
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
void make_present(std::span<std::byte> destination) {
#ifdef MADV_POPULATE_WRITE
  if (destination.size() < kReadBytes) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto data = reinterpret_cast<std::uintptr_t>(destination.data());
  const std::uintptr_t begin = data / page * page;
  ::madvise(reinterpret_cast<void*>(begin), data + destination.size() - begin,
            MADV_POPULATE_WRITE);
#endif
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  auto file = file_operations::open_regular_file(path);
  size_ = file_operations::size_of(file, path);
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
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::read_at(std::uint64_t offset,
                         std::span<std::byte> destination) const {
  std::size_t count = 0;
  for (std::size_t wanted = 0; count == wanted && count < destination.size();) {
    const auto part = destination.subspan(count).first(
        std::min(kReadBytes, destination.size() - count));
    make_present(part);
    count += file_operations::read_at(descriptor_, path_, offset + count,
                                      reinterpret_cast<char*>(part.data()),
                                      part.size());
    wanted += part.size();
  }
  if (count < destination.size()) {
    throw FileError(path_ + ": cannot read " +
                        std::to_string(destination.size()) +
                        " bytes at offset " + std::to_string(offset) +
                        ": the file ends after " + std::to_string(count) +
                        " of them; it was changed while it was read",
                    EIO);
  }
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
