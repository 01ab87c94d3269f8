// SPDX-License-Identifier: MIT
#include "longformer/io/file_lock.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "longformer/io/file_system.h"

#include "file_operations.h"

namespace longformer {

struct FileLock::Held {
  std::string path;
  Descriptor file;

  bool is_in_place() const { return is_file_at(file.get(), path); }

  /// For whoever finds the lock taken; it locks as well without.
  void write_holder() const {
    const std::string number = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file.get(), 0) != 0 ||
        ::pwrite(file.get(), number.data(), number.size(), 0) < 0) {
      return;
    }
  }
};

FileLock::FileLock(std::unique_ptr<Held> held) : held_(std::move(held)) {}
FileLock::FileLock(FileLock&&) noexcept = default;
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(held_, other.held_);
  return *this;
}

FileLock::~FileLock() {
  // Before unlocking: who waits for it opens a new one.
  if (held_ != nullptr && held_->is_in_place()) ::unlink(held_->path.c_str());
}

std::optional<FileLock> FileLock::try_take(const std::string& path) {
  // Once is nearly always enough. Where files have no stable numbers, what was
  // locked cannot be told from its successor and is taken as it is.
  constexpr int kMostTries = 100;
  for (int tries = 1;; ++tries) {
    auto held = std::make_unique<Held>(
        Held{path, file_operations::open_lock_file(path)});
    if (!file_operations::lock(held->file)) return std::nullopt;
    // The former holder may have removed the file after it was opened here.
    if (!held->is_in_place() && tries < kMostTries) continue;
    held->write_holder();
    return FileLock(std::move(held));
  }
}

bool FileLock::is_in_place() const {
  return held_ != nullptr && held_->is_in_place();
}

std::string holder_of_lock(const std::string& path) {
  constexpr std::size_t kMostDigits = 20;
  try {
    std::string text = read_file(path, 4096);
    text = text.substr(0, text.find('\n'));
    const bool is_number = !text.empty() && text.size() <= kMostDigits &&
                           std::all_of(text.begin(), text.end(), [](char c) {
                             return c >= '0' && c <= '9';
                           });
    return is_number ? text : "";
  } catch (const FileError&) {
    return "";
  }
}

}  // namespace longformer
