// SPDX-License-Identifier: MIT
#include "output_dir.h"

#include <utility>

#include "longformer/base/error.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_store.h"
#include "longformer/train/metrics_log.h"
#include "longformer/train/run_folders.h"

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

/// A new run is not mixed with what another one left.
void refuse_another_run(const RunOptions& options) {
  if (options.resume != "none") return;
  const RunFolders folders = run_folders(options);
  const std::string advice =
      "; give --resume auto to continue it, or choose another directory (or "
      "delete this one)";
  if (exists(join_path(folders.output, kMetricsLogName))) {
    throw ConfigError("output_dir: " + folders.output + " already holds a run" +
                      advice);
  }
  if (folders.are_checkpoints_elsewhere &&
      !CheckpointStore(folders.checkpoints).steps().empty()) {
    throw ConfigError("checkpoint_dir: " + folders.checkpoints +
                      " already holds checkpoints" + advice);
  }
  if (folders.is_model_elsewhere && is_directory(folders.model) &&
      !list_directory(folders.model).empty()) {
    throw ConfigError("model_dir: " + folders.model +
                      " is not empty; choose another directory, or empty this "
                      "one");
  }
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
  refuse_another_run(options);
  return *std::move(lock);
}

void check_output_dir(const RunOptions& options) {
  const std::string lock_path = join_path(options.output_dir, kLockName);
  // What a killed process left is taken over, and removed by that.
  if (exists(lock_path) && !FileLock::try_take(lock_path)) {
    refuse_second_run(options.output_dir, lock_path);
  }
  refuse_another_run(options);
}

}  // namespace longformer
