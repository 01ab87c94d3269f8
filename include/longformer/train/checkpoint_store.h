// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/train/checkpoint_manifest.h"

namespace longformer {

/// The directory of the checkpoints in an output_dir.
inline constexpr const char* kCheckpointsName = "checkpoints";

/// A checkpoint that was found to be complete.
struct Checkpoint {
  std::int64_t step = 0;
  std::string directory;
};

/// The checkpoints of a run: `root`/step-000123/, each with the files that the
/// trainer wrote and a manifest.json with the size and the digest of each.
///
/// A checkpoint appears by one rename after every byte was written, synced and
/// read back, so a process killed at any instant leaves the ones before it
/// untouched. What does not verify is reported and left alone.
///
/// Threads: one writer at a time; only one process saves below `root`.
class CheckpointStore {
 public:
  /// Nothing is created before the first save.
  explicit CheckpointStore(std::string root);

  /// Calls `write_files` with a private, empty directory, and turns it into the
  /// checkpoint of `step` (>= 0). One that exists for this step is replaced, as
  /// late as possible. Returns the directory. Files may lie in subdirectories.
  ///
  /// Throws SystemError, and whatever `write_files` throws; the checkpoints
  /// from before are then all there. Cost: writes and reads every byte once.
  std::string save(
      std::int64_t step,
      const std::function<void(const std::string& directory)>& write_files);

  /// The complete checkpoint with the most steps, if any. A warning names each
  /// newer one that was skipped, and why. A run that continues calls
  /// remove_leftovers() first: one of them may be the newest checkpoint, caught
  /// while it was being replaced. Cost: reads all bytes of the returned one.
  std::optional<Checkpoint> newest_valid() const;

  /// What the option `resume` asks for: "none" finds nothing, "auto" the
  /// newest_valid() if there is any checkpoint, "auto_or_restart" the
  /// newest_valid(), anything else is the directory of a checkpoint (of this
  /// run or another), looked at as `check` says.
  ///
  /// Throws ModelError if that directory is not a complete checkpoint, or if
  /// "auto" finds damaged ones only.
  std::optional<Checkpoint> find(
      std::string_view resume,
      ManifestCheck check = ManifestCheck::kDigests) const;

  /// Deletes all but the `keep` (>= 1) newest checkpoints and that of
  /// `best_step`. Only complete ones (by size) count and are deleted.
  void prune(std::int64_t keep,
             std::optional<std::int64_t> best_step = std::nullopt);

  /// Renames the checkpoints of later steps to *.superseded, so that a run that
  /// went back to `step` (0: starts again) is not resumed from its former
  /// future.
  void set_aside_after(std::int64_t step);

  /// Tidies up after runs that were killed: deletes unfinished and half-deleted
  /// checkpoints, and gives a checkpoint its name back that was just being
  /// replaced. What a living process writes is left alone.
  void remove_leftovers();

  /// Steps of all checkpoints, complete or not, in ascending order.
  std::vector<std::int64_t> steps() const;

  /// Where the checkpoint of a step is, if there is one.
  std::string directory_of(std::int64_t step) const;
  const std::string& root() const { return root_; }

 private:
  std::optional<Checkpoint> newest_or_none_at_all() const;

  std::string root_;
};

}  // namespace longformer
