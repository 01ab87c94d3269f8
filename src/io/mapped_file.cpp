// SPDX-License-Identifier: MIT
#include "longformer/io/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "longformer/io/file_system.h"

#include "file_operations.h"

namespace longformer {

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
  const std::size_t count = file_operations::read_at(
      descriptor_, path_, offset, reinterpret_cast<char*>(destination.data()),
      destination.size());
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
