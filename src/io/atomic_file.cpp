// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "file_operations.h"
#include "partial_name.h"
#include "unfinished_writes.h"

namespace longformer {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

/// Does what `operation` does; what it throws names `target` in place of the
/// temporary file, which means nothing to the reader.
template <class Operation>
auto naming_target(const std::string& target, const std::string& partial,
                   const Operation& operation) {
  try {
    return operation();
  } catch (const FileError& error) {
    std::string message = error.what();
    for (std::size_t at = 0;
         (at = message.find(partial, at)) != std::string::npos;
         at += target.size()) {
      message.replace(at, partial.size(), target);
    }
    throw FileError(message, error.error_number());
  }
}

}  // namespace

struct AtomicFile::Partial {
  explicit Partial(const std::string& target_path) : target(target_path) {
    path = create_partial(target, [this](const std::string& name) {
      naming_target(target, name,
                    [&] { file = file_operations::create_file(name); });
    });
    unfinished.emplace(path);
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

  void reserve(std::uint64_t bytes) {
    naming_target(target, path,
                  [&] { file_operations::reserve(file, path, bytes); });
  }

  void append(std::string_view bytes) {
    naming_target(target, path, [&] {
      file_operations::write_all(file, path, bytes.data(), bytes.size(),
                                 flushed);
    });
    flushed += bytes.size();
  }

  void publish(const FileDigest& written) {
    naming_target(target, path, [&] {
      file_operations::sync(file, path);
      check_content(written);
      file_operations::close(std::move(file), path);
      file_operations::rename(path, target);
    });
    renamed = true;
    sync_directory(parent_path(target));
  }

  void check_content(const FileDigest& written) const {
    const FileDigest found = digest_file(path);
    if (found.bytes == written.bytes && found.digest == written.digest) return;
    throw FileError(
        path + ": reading back gives " + std::to_string(found.bytes) +
            " bytes with digest " + found.digest + " where " +
            std::to_string(written.bytes) + " bytes with digest " +
            written.digest + " were written; the disk or file system is faulty",
        EIO);
  }

  std::string target;
  std::string path;
  std::optional<UnfinishedWrite> unfinished;
  Descriptor file;
  std::string buffer;
  std::uint64_t flushed = 0;
  bool renamed = false;
};

AtomicFile::AtomicFile(const std::string& path, std::uint64_t expected_bytes)
    : path_(path), partial_(std::make_unique<Partial>(path)) {
  partial_->reserve(expected_bytes);
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
  partial_->append(partial_->buffer);
  partial_->buffer.clear();
  const FileDigest written{path_, bytes_written_, digest_.hex()};
  partial_->publish(written);
  return written;
}

FileDigest write_file_atomically(const std::string& path,
                                 std::string_view bytes) {
  AtomicFile file(path, bytes.size());
  file.write(bytes);
  return file.commit();
}

}  // namespace longformer
