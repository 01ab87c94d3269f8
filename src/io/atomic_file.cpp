// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstddef>
#include <utility>

#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "file_operations.h"
#include "partial_name.h"

namespace longformer {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

}  // namespace

struct AtomicFile::Partial {
  explicit Partial(const std::string& target) {
    path = create_partial(target, [this](const std::string& name) {
      file = file_operations::create_file(name);
    });
    file_operations::lock(file);
  }

  ~Partial() {
    if (renamed) return;
    try {
      remove_tree(path);
    } catch (const FileError&) {
      // What is left is recognised by its name (recover_leftovers()).
    }
  }

  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  void append(std::string_view bytes) {
    file_operations::write_all(file, path, bytes.data(), bytes.size(), flushed);
    flushed += bytes.size();
  }

  std::string path;
  file_operations::Descriptor file;
  std::string buffer;
  std::uint64_t flushed = 0;
  bool renamed = false;
};

AtomicFile::AtomicFile(const std::string& path, std::uint64_t expected_bytes)
    : path_(path), partial_(std::make_unique<Partial>(path)) {
  file_operations::reserve(partial_->file, partial_->path, expected_bytes);
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size()));
}

void AtomicFile::write(std::string_view bytes) {
  digest_.update(bytes);
  bytes_written_ += bytes.size();
  std::string& buffer = partial_->buffer;
  if (buffer.size() + bytes.size() <= kBufferBytes) {
    buffer.append(bytes);
    return;
  }
  partial_->append(buffer);
  buffer.clear();
  if (bytes.size() <= kBufferBytes) {
    buffer.append(bytes);
  } else {
    partial_->append(bytes);
  }
}

FileDigest AtomicFile::commit() {
  Partial& partial = *partial_;
  partial.append(partial.buffer);
  partial.buffer.clear();
  file_operations::sync(partial.file, partial.path);
  const FileDigest written{path_, bytes_written_, digest_.hex()};
  const FileDigest found = digest_file(partial.path);
  if (found.bytes != written.bytes || found.digest != written.digest) {
    throw FileError(
        partial.path + ": reading back gives " + std::to_string(found.bytes) +
            " bytes with digest " + found.digest + " where " +
            std::to_string(written.bytes) + " bytes with digest " +
            written.digest + " were written; the disk or file system is faulty",
        EIO);
  }
  file_operations::close(std::move(partial.file), partial.path);
  file_operations::rename(partial.path, path_);
  partial.renamed = true;
  sync_directory(parent_path(path_));
  return written;
}

FileDigest write_file_atomically(const std::string& path,
                                 std::string_view bytes) {
  AtomicFile file(path, bytes.size());
  file.write(bytes);
  return file.commit();
}

}  // namespace longformer
