// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longformer {

/// Name of the file that makes a directory a complete checkpoint.
inline constexpr const char* kManifestName = "manifest.json";

/// Writes `directory`/manifest.json: the step, and size and XXH3 digest of
/// every other file below `directory`, as read back from there. Called last.
///
/// Throws SystemError if a file cannot be read or the manifest not be written.
void write_manifest(const std::string& directory, std::int64_t step);

/// What of a checkpoint is compared with its manifest.
enum class ManifestCheck {
  kSizes,    ///< Every file is there and has its size. Reads no content.
  kDigests,  ///< And its content. Reads everything.
};

/// Why `directory` is not a complete checkpoint, in words that name the file
/// and what was found; empty if it is one. Files that the manifest does not
/// list are ignored. Never throws for what is on the disk.
std::optional<std::string> problem_of_checkpoint(
    const std::string& directory,
    ManifestCheck check = ManifestCheck::kDigests);

/// The step in the manifest of a complete checkpoint.
/// Throws ModelError if the manifest is missing or malformed.
std::int64_t step_of_checkpoint(const std::string& directory);

}  // namespace longformer
