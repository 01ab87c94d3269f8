// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longformer {

/// What a run is going to write.
struct DiskNeed {
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t model_bytes = 0;  ///< Of the best or last model.
  std::int64_t kept = 1;          ///< Checkpoints that are kept.
  std::int64_t present = 0;       ///< Of them, that exist already.
};

/// Throws SystemError if the disk of `directory`, with so many bytes free, has
/// no room for one more checkpoint and the model: better now than after hours.
/// Returns a warning if there is no room for all that are kept, and the one
/// that is written before the oldest goes; nothing if there is.
std::optional<std::string> check_disk_space(const std::string& directory,
                                            std::uint64_t free,
                                            const DiskNeed& need);

}  // namespace longformer
