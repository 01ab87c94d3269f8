// SPDX-License-Identifier: MIT
#include "longformer/train/run_folders.h"

#include <array>
#include <fstream>
#include <string_view>

#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_store.h"
#include "longformer/train/metrics_log.h"

namespace longformer {
namespace {

constexpr const char* kBestModel = "best_model";

void copy_file(const std::string& from, const std::string& to) {
  std::ifstream source(from, std::ios::binary);
  AtomicFile target(to, file_bytes(from));
  std::array<char, 1 << 16> buffer;
  do {
    source.read(buffer.data(), buffer.size());
    target.write(std::string_view(buffer.data(),
                                  static_cast<std::size_t>(source.gcount())));
  } while (source);
  if (source.bad() || target.bytes_written() != file_bytes(from)) {
    throw FileError(from + ": cannot be read", EIO);
  }
  target.commit();
}

/// A model directory holds no folders.
void copy_files(const std::string& from, const std::string& to) {
  create_directories(to);
  for (const DirectoryEntry& entry : list_directory(from)) {
    if (entry.is_directory || is_leftover_name(entry.name)) continue;
    copy_file(join_path(from, entry.name), join_path(to, entry.name));
  }
}

}  // namespace

RunFolders run_folders(const RunOptions& options) {
  RunFolders folders;
  folders.output = options.output_dir;
  folders.is_model_elsewhere = !options.model_dir.empty();
  folders.model = folders.is_model_elsewhere
                      ? options.model_dir
                      : join_path(options.output_dir, "model");
  folders.are_checkpoints_elsewhere = !options.checkpoint_dir.empty();
  folders.checkpoints = folders.are_checkpoints_elsewhere
                            ? options.checkpoint_dir
                            : join_path(options.output_dir, kCheckpointsName);
  return folders;
}

void pack_run(const RunFolders& folders, bool has_best,
              const std::string& checkpoint) {
  if (!folders.are_checkpoints_elsewhere) return;
  copy_file(join_path(folders.output, kMetricsLogName),
            join_path(checkpoint, kMetricsLogName));
  if (has_best) copy_files(folders.model, join_path(checkpoint, kBestModel));
}

void unpack_run(const std::string& checkpoint, const RunFolders& folders) {
  if (!folders.are_checkpoints_elsewhere) return;
  const std::string metrics = join_path(folders.output, kMetricsLogName);
  const std::string packed = join_path(checkpoint, kMetricsLogName);
  if (!exists(metrics) && exists(packed)) copy_file(packed, metrics);
  const std::string best = join_path(checkpoint, kBestModel);
  if (is_directory(best)) copy_files(best, folders.model);
}

}  // namespace longformer
