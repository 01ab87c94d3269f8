// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longformer/base/strict_json.h"

namespace longformer {

/// Where a run stands, beside weights and optimizer: what a checkpoint needs
/// to continue at the very next document.
struct TrainingState {
  std::int64_t step = 0;           ///< Optimizer steps taken or skipped.
  std::int64_t updates = 0;        ///< Those that changed the weights.
  std::int64_t epoch = 0;          ///< From 0; the one that is going on.
  std::int64_t step_in_epoch = 0;  ///< Steps of this epoch that are done.
  std::int64_t documents = 0;      ///< Seen since the beginning of the run.
  std::int64_t tokens = 0;         ///< Likewise.
  std::int64_t total_steps = 0;    ///< The schedule's length.
  std::int64_t seed = 0;
  std::optional<double> loss_scale;  ///< Of fp16.
  Json best_model;                   ///< BestModel::to_json(), or null.
  std::string options_digest;        ///< Of the options that decide numbers.
  std::string dataset_fingerprint;   ///< Of the training documents.
  std::string history_digest;        ///< Of metrics.jsonl up to `step`.

  Json to_json() const;
};

/// Reads training_state.json. Everything must be there, of the right type and
/// make sense together; unknown keys are refused.
///
/// Throws ModelError beginning with `where` (the file's path).
TrainingState parse_training_state(std::string_view text,
                                   const std::string& where);

}  // namespace longformer
