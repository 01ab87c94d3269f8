// SPDX-License-Identifier: MIT
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>

#include "longformer/base/log.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/launch_environment.h"
#include "longformer/train/training_run.h"

#include "command_start.h"
#include "commands.h"
#include "compute_device.h"
#include "sagemaker_job.h"
#include "sagemaker_training.h"
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

/// Hands lines on at once; without a reader the run goes on, with its log.
void print_metrics(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, lines.data(), lines.size());
    if (count <= 0 && errno != EINTR) return;
    if (count > 0) lines.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// A restart that begins from nothing is hardly meant.
void warn_of_restart(const LaunchEnvironment& launch,
                     const RunOptions& options) {
  if (launch.restart_count == 0 || options.resume != "none") return;
  log_warning("this is restart " + std::to_string(launch.restart_count) +
              " of " + std::to_string(launch.max_restarts) +
              ", but resume is none: give --resume auto, so that restarts go "
              "on from the newest checkpoint");
}

/// One of the job's processes, or the only one.
ExitCode train_as(const LaunchEnvironment& launch, const TrainOptions& options,
                  const Environment& environment) {
  TrainingDisplay display;
  if (options.run.print_metrics) display.print_metrics = print_metrics;
  if (launch.rank == 0) {
    display.terminal_columns =
        launch.kind == LauncherKind::kOwn
            ? static_cast<std::size_t>(launch.terminal_columns)
            : terminal_columns();
  }
  const ComputeDevice device =
      take_compute_device(options.compute, launch, environment);
  if (launch.world_size == 1) {
    return run_training(prepare_training(options, nullptr, device.device),
                        display);
  }
  log_info(describe(launch));
  warn_of_restart(launch, options.run);
  const auto communicator = std::make_shared<Communicator>(
      launch,
      communicator_settings(launch, options.launch, environment, device));
  ExitCode code = ExitCode::kSuccess;
  tell_others_of_failure(communicator.get(), [&] {
    code = run_training(prepare_training(options, communicator, device.device),
                        display);
  });
  return code;
}

/// The launcher's place for this process. On several hosts of SageMaker this
/// program is the launcher, and the option `rendezvous` is for it.
LaunchEnvironment find_launcher(const std::optional<SageMakerEnvironment>& job,
                                const TrainOptions& options,
                                const Environment& environment) {
  if (job && job->hosts.size() > 1) {
    const LaunchEnvironment launch = detect_launch_environment(environment);
    if (launch.kind == LauncherKind::kNone) return launch;
  }
  return detect_launch_environment(environment, options.launch.rendezvous);
}

}  // namespace

ExitCode train_command(const Arguments& arguments) {
  // The end of whoever reads the log (`2>&1 | head`) is not that of the run.
  std::signal(SIGPIPE, SIG_IGN);
  const Environment environment = current_environment();
  const auto job = find_sagemaker_job(environment);
  CommandLine line{"train", "Trains a classifier on documents.", arguments};
  if (job) add_sagemaker_sources(*job, environment, line);
  ParsedOptions<TrainOptions> parsed = parse_command_line<TrainOptions>(line);
  if (parsed.help_requested) {
    print(parsed.help);
    return ExitCode::kSuccess;
  }
  TrainOptions& options = parsed.options;
  check_devices(options.compute.devices);
  const LaunchEnvironment launch = find_launcher(job, options, environment);
  if (launch.kind == LauncherKind::kNone && job) {
    return train_on_sagemaker_host(*job, options, arguments, environment);
  }
  if (launch.kind == LauncherKind::kNone) {
    const DeviceList devices =
        devices_of_host(options.compute, options.launch.processes, environment);
    if (needs_processes(devices)) {
      check_training(options);
      HostProcesses host = whole_job(devices, environment);
      host.terminal_columns = terminal_columns();
      return run_train_processes(options, arguments, host);
    }
  } else if (launch.kind != LauncherKind::kOwn) {
    check_processes(options.launch.processes, launch);
  }
  // The program's own children write to logs of their own; under another
  // launcher all share the terminal.
  if (launch.kind != LauncherKind::kOwn && launch.rank != 0) {
    set_log_level(LogLevel::kWarning);
  }
  log_options(parsed.warnings, describe_changes(options, parsed.sources));
  if (job) use_pipe_copies(*job, environment, options);
  return train_as(launch, options, environment);
}

}  // namespace longformer
