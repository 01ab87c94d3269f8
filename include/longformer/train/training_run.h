// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "longformer/base/error.h"
#include "longformer/train/training_setup.h"

namespace longformer {

/// What a run shows besides its log.
struct TrainingDisplay {
  /// Progress is one line of this width that is redrawn; 0: plain lines.
  std::size_t terminal_columns = 0;
  /// Takes the lines of MetricLines; empty: there are none.
  std::function<void(std::string_view)> print_metrics;
};

/// Trains and leaves in output_dir:
///
///   run.json         the options in force; `--config run.json` repeats the run
///   metrics.jsonl    one line for each step and each validation
///   checkpoints/     for `--resume auto`
///   model/           the best model (by best_metric), or the last one; in
///                    model_dir also that of a run that was stopped
///   validation.json  metrics of that model, if there is validation data
///   test.json        the same for test data
///
/// checkpoints/ and model/ may lie elsewhere (checkpoint_dir, model_dir).
/// Returns kSuccess, or kInterrupted / kTerminated / kHungUp after a signal,
/// when the state was saved. Throws SystemError if output_dir cannot be written
/// or is removed meanwhile.
ExitCode run_training(TrainingSetup setup, const TrainingDisplay& display);

}  // namespace longformer
