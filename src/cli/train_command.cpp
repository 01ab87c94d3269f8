// SPDX-License-Identifier: MIT
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/launch_environment.h"
#include "longformer/train/training_run.h"

#include "command_start.h"
#include "commands.h"
#include "shared_command.h"
#include "standard_output.h"
#include "train_processes.h"

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

/// One of the job's processes, or the only one.
ExitCode train_as(const LaunchEnvironment& launch, const TrainOptions& options,
                  const Environment& environment) {
  const bool is_own = launch.kind == LauncherKind::kOwn;
  const std::size_t columns =
      is_own ? static_cast<std::size_t>(launch.terminal_columns)
             : terminal_columns();
  if (launch.world_size == 1) {
    set_compute_threads(options.compute.threads);
    return run_training(prepare_training(options), columns);
  }
  log_info(describe(launch));
  set_compute_threads(threads_of_process(options.compute.threads, environment,
                                         available_threads(),
                                         launch.local_world_size));
  const auto communicator = std::make_shared<Communicator>(
      launch, communicator_settings(options.launch));
  ExitCode code = ExitCode::kSuccess;
  tell_others_of_failure(communicator.get(), [&] {
    code = run_training(prepare_training(options, communicator),
                        launch.rank == 0 ? columns : 0);
  });
  return code;
}

void check_processes(const TrainOptions& options,
                     const LaunchEnvironment& launch) {
  const std::int64_t wanted = options.launch.processes;
  if (wanted == 0 || wanted == launch.world_size) return;
  throw ConfigError("processes: " + std::to_string(wanted) + " contradicts " +
                    std::string(name_of(launch.kind)) + ", which started " +
                    std::to_string(launch.world_size) +
                    "; leave the option out");
}

}  // namespace

ExitCode train_command(const Arguments& arguments) {
  // The end of whoever reads the log (`2>&1 | head`) is not that of the run.
  std::signal(SIGPIPE, SIG_IGN);
  const ParsedOptions<TrainOptions> parsed = parse_command_line<TrainOptions>(
      {"train", "Trains a classifier on documents.", arguments});
  if (parsed.help_requested) {
    print(parsed.help);
    return ExitCode::kSuccess;
  }
  const TrainOptions& options = parsed.options;
  check_devices(options.compute.devices);
  const Environment environment = current_environment();
  const LaunchEnvironment launch =
      detect_launch_environment(environment, options.launch.rendezvous);
  if (launch.kind == LauncherKind::kNone) {
    const int num_processes = count_processes(options, environment);
    if (num_processes > 1) {
      return run_train_processes(options, arguments, environment, num_processes,
                                 terminal_columns());
    }
  } else {
    check_processes(options, launch);
  }
  // The program's own children write to logs of their own; under another
  // launcher all share the terminal.
  if (launch.kind != LauncherKind::kOwn && launch.rank != 0) {
    set_log_level(LogLevel::kWarning);
  }
  log_options(parsed.warnings, describe_changes(options, parsed.sources));
  return train_as(launch, options, environment);
}

}  // namespace longformer
