// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/config/run_options.h"

namespace longformer {

/// Where a run keeps what it makes.
struct RunFolders {
  std::string output;
  std::string model;
  std::string checkpoints;
  /// The folder `model` was chosen by the user and may be a mount: its files
  /// are replaced one by one, everything else in it stays.
  bool is_model_elsewhere = false;
  /// `checkpoints` was chosen by the user and may be all that outlives the
  /// machine.
  bool are_checkpoints_elsewhere = false;
};
RunFolders run_folders(const RunOptions& options);

/// Puts into a checkpoint that is being written what a run needs besides when
/// only its checkpoints are left: the metrics so far and, if `has_best`, the
/// best model. Does nothing where checkpoints lie beside these.
/// Throws FileError.
void pack_run(const RunFolders& folders, bool has_best,
              const std::string& checkpoint);

/// Brings that back from the checkpoint from which a run continues: the best
/// model as of then, and the metrics if there are none. Throws FileError.
void unpack_run(const std::string& checkpoint, const RunFolders& folders);

}  // namespace longformer
