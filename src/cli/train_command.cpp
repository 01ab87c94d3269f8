// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "longformer/config/train_options.h"
#include "longformer/train/training_run.h"

#include "command_start.h"
#include "commands.h"

namespace longformer {

ExitCode train_command(const Arguments& arguments) {
  const auto options = start_command<TrainOptions>(
      "train", "Trains a classifier on documents.", arguments);
  if (!options) return ExitCode::kSuccess;
  check_devices(options->compute.devices);
  set_compute_threads(options->compute.threads);
  return run_training(prepare_training(*options), isatty(STDERR_FILENO) == 1);
}

}  // namespace longformer
