// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/train/training_setup.h"

namespace longformer {

/// Trains and leaves in output_dir:
///
///   run.json         the options in force; `--config run.json` repeats the run
///   metrics.jsonl    one line for each step and each validation
///   checkpoints/     for `--resume auto`
///   model/           the best model (by best_metric), or the last one
///   validation.json  metrics of that model, if there is validation data
///   test.json        the same for test data
///
/// `terminal_columns`: progress is one line of this width that is redrawn; 0:
/// plain lines.
/// Returns kSuccess, or kInterrupted / kTerminated / kHungUp after a signal,
/// when the state was saved. Throws SystemError if output_dir cannot be written
/// or is removed meanwhile.
ExitCode run_training(TrainingSetup setup, std::size_t terminal_columns);

}  // namespace longformer
