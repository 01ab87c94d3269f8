// SPDX-License-Identifier: MIT
#include "unfinished_writes.h"

#include <mutex>
#include <set>
#include <utility>

#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

/// Signals come to the process, not to the object that writes: the list is the
/// process's.
struct UnfinishedList {
  std::mutex mutex;
  std::set<std::string> paths;
};

UnfinishedList& unfinished() {
  // Never destroyed: a signal may come while static objects die.
  static UnfinishedList* list = new UnfinishedList;
  return *list;
}

/// The writer may be adding files to a folder that is being removed.
void remove_stubbornly(const std::string& path) {
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts; ++i) {
    try {
      remove_tree(path);
      return;
    } catch (const FileError&) {
    }
  }
}

}  // namespace

UnfinishedWrite::UnfinishedWrite(std::string path) : path_(std::move(path)) {
  const std::lock_guard<std::mutex> lock(unfinished().mutex);
  unfinished().paths.insert(path_);
}

UnfinishedWrite::~UnfinishedWrite() {
  const std::lock_guard<std::mutex> lock(unfinished().mutex);
  unfinished().paths.erase(path_);
}

void discard_unfinished_writes() {
  UnfinishedList& list = unfinished();
  const std::lock_guard<std::mutex> lock(list.mutex);
  for (const std::string& path : list.paths) remove_stubbornly(path);
}

}  // namespace longformer
