// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "longformer/base/log.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "file_operations.h"
#include "partial_name.h"
#include "unfinished_writes.h"

namespace longformer {
namespace {

/// Best effort: what stays is recognised by its name (recover_leftovers()).
void remove_quietly(const std::string& path) {
  try {
    remove_tree(path);
  } catch (const FileError&) {
  }
}

/// Makes every file and folder below `directory` durable, then itself.
void sync_tree(const std::string& directory) {
  for (const DirectoryEntry& entry : list_directory(directory)) {
    const std::string path = join_path(directory, entry.name);
    if (entry.is_directory) {
      sync_tree(path);
    } else {
      file_operations::sync(file_operations::open_regular_file(path), path);
    }
  }
  sync_directory(directory);
}

/// Whether something is there that must not be lost.
bool is_taken(const std::string& path) {
  return exists(path) && !(is_directory(path) && list_directory(path).empty());
}

std::string exists_already(const std::string& path) {
  return path +
         ": exists already and is not replaced; remove it or choose another "
         "name";
}

}  // namespace

struct AtomicDirectory::Partial {
  explicit Partial(const std::string& target) {
    try {
      make_parents(parent_path(target));
      path = create_partial(target, file_operations::make_directory);
      unfinished.emplace(path);
      directory = file_operations::open_directory(path);
    } catch (...) {
      remove();
      throw;
    }
    file_operations::lock(directory);
  }

  /// Removes the folder, and the parents that it was the reason for.
  void remove() const {
    if (!path.empty()) remove_quietly(path);
    for (const std::string& parent : made_parents) ::rmdir(parent.c_str());
  }

  void make_parents(const std::string& parent) {
    if (exists(parent)) return;
    make_parents(parent_path(parent));
    create_directories(parent);
    made_parents.insert(made_parents.begin(), parent);
  }

  std::vector<std::string> made_parents;  ///< The deepest first.
  std::string path;
  std::optional<UnfinishedWrite> unfinished;
  /// Held open for its lock: tells others that the writer lives.
  Descriptor directory;
};

AtomicDirectory::AtomicDirectory(const std::string& path, IfExists if_exists)
    : target_path_(join_path(parent_path(path), file_name(path))),
      if_exists_(if_exists) {
  if (if_exists_ == IfExists::kFail && is_taken(target_path_)) {
    throw ConfigError(exists_already(path));
  }
  partial_ = std::make_unique<Partial>(target_path_);
  partial_path_ = partial_->path;
}

AtomicDirectory::~AtomicDirectory() {
  if (partial_ != nullptr) partial_->remove();
}

void AtomicDirectory::commit() {
  sync_tree(partial_path_);
  const std::string parent = parent_path(target_path_);
  if (if_exists_ == IfExists::kFail && is_taken(target_path_)) {
    throw FileError(exists_already(target_path_), EEXIST);
  }
  if (!is_taken(target_path_)) {
    // Takes the place of an empty folder too.
    file_operations::rename(partial_path_, target_path_);
    partial_ = nullptr;
    sync_directory(parent);
    return;
  }
  if (file_operations::exchange(partial_path_, target_path_)) {
    // From here on the temporary name holds the old content.
    sync_directory(parent);
    partial_ = nullptr;
    remove_quietly(partial_path_);
    return;
  }
  const std::string old_path = leftover_path(target_path_, LeftoverKind::kOld);
  const Descriptor old = file_operations::open_directory(target_path_);
  file_operations::lock(old);
  file_operations::rename(target_path_, old_path);
  try {
    file_operations::rename(partial_path_, target_path_);
  } catch (...) {
    file_operations::rename(old_path, target_path_);
    throw;
  }
  partial_ = nullptr;
  sync_directory(parent);
  remove_quietly(old_path);
}

namespace {

/// True if the entry was removed or renamed.
bool recover_entry(const std::string& directory, const DirectoryEntry& entry,
                   const Leftover& leftover) {
  const std::string path = join_path(directory, entry.name);
  const Descriptor held = entry.is_directory
                              ? file_operations::open_directory(path)
                              : file_operations::open_regular_file(path);
  if (!file_operations::lock(held)) return false;
  const std::string target = join_path(directory, leftover.target_name);
  if (leftover.kind == LeftoverKind::kOld && !exists(target)) {
    file_operations::rename(path, target);
  } else {
    remove_tree(path);
  }
  return true;
}

/// Those for `target_name` only, unless it is empty.
int recover_entries(const std::string& directory,
                    const std::string& target_name) {
  int changed = 0;
  for (const DirectoryEntry& entry : list_directory(directory)) {
    const auto leftover = parse_leftover(entry.name);
    if (!leftover ||
        (!target_name.empty() && leftover->target_name != target_name)) {
      continue;
    }
    try {
      if (recover_entry(directory, entry, *leftover)) ++changed;
    } catch (const FileError& error) {
      // It is only in the way; whoever owns it may remove it.
      log_warning(std::string(error.what()) +
                  " (left over from an interrupted run)");
    }
  }
  if (changed > 0) sync_directory(directory);
  return changed;
}

}  // namespace

int recover_leftovers(const std::string& directory) {
  return recover_entries(directory, "");
}

void recover_leftovers_of(const std::string& target_path) {
  try {
    recover_entries(parent_path(target_path), file_name(target_path));
  } catch (const FileError&) {
    // A folder that may be written need not be readable.
  }
}

bool is_leftover_name(std::string_view name) {
  return parse_leftover(name).has_value();
}

}  // namespace longformer
