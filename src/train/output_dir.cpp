// SPDX-License-Identifier: MIT
#include "output_dir.h"

#include <utility>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

constexpr const char* kLockName = "run.lock";

[[noreturn]] void refuse_second_run(const std::string& directory,
                                    const std::string& lock_path) {
  const std::string process = holder_of_lock(lock_path);
  throw ConfigError("output_dir: another process trains here" +
                    (process.empty() ? "" : " (pid " + process + ")") + ": " +
                    directory +
                    "; wait until it has ended, or choose another directory");
}

}  // namespace

FileLock take_output_dir(const RunOptions& options) {
  const std::string& directory = options.output_dir;
  const std::string lock_path = join_path(directory, kLockName);
  std::optional<FileLock> lock;
  try {
    create_directories(directory);
    lock = FileLock::try_take(lock_path);
  } catch (const FileError& error) {
    throw FileError("output_dir: " + std::string(error.what()),
                    error.error_number());
  }
  if (!lock) refuse_second_run(directory, lock_path);
  if (options.resume == "none" &&
      exists(join_path(directory, "metrics.jsonl"))) {
    throw ConfigError(
        "output_dir: " + directory +
        " already holds a run; give --resume auto to continue it, or choose "
        "another directory (or delete this one)");
  }
  return *std::move(lock);
}

}  // namespace longformer
