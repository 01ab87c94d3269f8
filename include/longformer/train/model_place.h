// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace longformer {

/// A folder that is no model, but has one inside.
struct ModelPlace {
  enum class Kind { kRun, kCheckpoints, kCheckpoint };
  Kind kind;
  /// The model's directory: what a run made or else its newest checkpoint
  /// holds. Empty: there is none yet.
  std::string model;
};

/// Recognises the output folder of a training run, its folder of checkpoints,
/// and a checkpoint; nothing for everything else.
std::optional<ModelPlace> find_model_place(const std::string& directory);

/// Throws ModelError, saying which directory is meant, if `directory` is such a
/// folder.
void refuse_model_place(const std::string& directory);

}  // namespace longformer
