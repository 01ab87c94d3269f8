// SPDX-License-Identifier: MIT
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "longformer/config/train_options.h"
#include "longformer/train/training_run.h"

#include "command_start.h"
#include "commands.h"

namespace longformer {
namespace {

/// Width of the terminal behind standard error; 0: it is none.
std::size_t terminal_columns() {
  if (isatty(STDERR_FILENO) != 1) return 0;
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsual;
  }
  return size.ws_col;
}

}  // namespace

ExitCode train_command(const Arguments& arguments) {
  // The end of whoever reads the log (`2>&1 | head`) is not that of the run.
  std::signal(SIGPIPE, SIG_IGN);
  const auto options = start_command<TrainOptions>(
      "train", "Trains a classifier on documents.", arguments);
  if (!options) return ExitCode::kSuccess;
  check_devices(options->compute.devices);
  set_compute_threads(options->compute.threads);
  return run_training(prepare_training(*options), terminal_columns());
}

}  // namespace longformer
