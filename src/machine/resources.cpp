// SPDX-License-Identifier: MIT
#include "longformer/machine/resources.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "longformer/base/descriptor.h"
#include "longformer/base/threads.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

std::uint64_t free_bytes_or_none(const std::string& path) {
  try {
    return exists(path) ? free_bytes(path) : 0;
  } catch (const FileError&) {
    return 0;
  }
}

/// "" or why no file can be made in a folder.
std::string problem_of(const std::string& folder) {
  if (!is_directory(folder)) return folder + " is no folder";
  std::string name = join_path(folder, ".longformer-doctor-XXXXXX");
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return std::generic_category().message(errno);
  ::unlink(name.c_str());
  const char byte = 0;
  if (::write(file.get(), &byte, 1) == 1) return "";
  return std::generic_category().message(errno);
}

}  // namespace

Resources measure_resources() {
  Resources resources;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    resources.open_files = files.rlim_cur;
    resources.open_files_possible = files.rlim_max;
  }
  resources.shared_memory_bytes = free_bytes_or_none("/dev/shm");
  resources.threads = available_threads();
  return resources;
}

Folder examine_folder(const std::string& purpose, const std::string& path) {
  Folder folder{purpose, path, "", 0};
  std::string nearest = path.empty() ? "." : path;
  while (!exists(nearest) && nearest != "." && nearest != "/") {
    nearest = parent_path(nearest);
  }
  folder.problem = problem_of(nearest);
  folder.free_bytes = free_bytes_or_none(nearest);
  return folder;
}

}  // namespace longformer
