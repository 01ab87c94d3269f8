// SPDX-License-Identifier: MIT
#include "longformer/train/disk_space.h"

#include <algorithm>

#include <fmt/format.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

std::optional<std::string> check_disk_space(const std::string& directory,
                                            std::uint64_t free,
                                            const DiskNeed& need) {
  const std::string found = directory + ": " + megabytes(free) +
                            " are free, a checkpoint takes " +
                            megabytes(need.checkpoint_bytes) +
                            " and the model " + megabytes(need.model_bytes);
  if (free < need.checkpoint_bytes + need.model_bytes) {
    throw SystemError(found +
                      "; make room, or choose an output_dir on another disk");
  }
  const std::int64_t more =
      std::max<std::int64_t>(need.kept + 1 - need.present, 1);
  const std::uint64_t all =
      static_cast<std::uint64_t>(more) * need.checkpoint_bytes +
      need.model_bytes;
  if (free >= all) return std::nullopt;
  return found + ": " + std::to_string(more) + " more checkpoints will not " +
         "fit; make room, or lower keep_checkpoints (" +
         std::to_string(need.kept) + ")";
}

}  // namespace longformer
