// SPDX-License-Identifier: MIT
#include "sagemaker_training.h"

#include <csignal>
#include <optional>
#include <string>

#include "longformer/base/log.h"
#include "longformer/io/file_system.h"
#include "longformer/train/stop_signal.h"
#include "longformer/train/training_setup.h"

#include "compute_device.h"
#include "sagemaker_job.h"
#include "train_processes.h"

namespace longformer {
namespace {

/// SM_NUM_GPUS is what the platform's toolkit counts for those it starts; a
/// program that cannot use the GPUs starts as many processes.
DeviceList devices_of(const SageMakerEnvironment& job,
                      const TrainOptions& options,
                      const Environment& environment) {
  DeviceList devices =
      devices_of_host(options.compute, options.launch.processes, environment);
  if (!devices.uses_gpus && options.launch.processes == 0 && job.num_gpus > 0) {
    devices.visible_devices.resize(static_cast<std::size_t>(job.num_gpus));
  }
  return devices;
}

HostLayout layout_of(const SageMakerEnvironment& job,
                     const TrainOptions& options, int count) {
  HostLayout layout = sagemaker_layout(job, count);
  const std::string& chosen = options.launch.rendezvous;
  if (job.hosts.size() > 1 && !chosen.empty()) {
    const std::string key = layout.rendezvous.key_prefix;
    layout.rendezvous = parse_rendezvous(chosen, "rendezvous");
    layout.rendezvous.key_prefix = key;
  }
  return layout;
}

ExitCode stopped_before_start(int signal_number) {
  log_warning("stopped by a signal before the training began");
  return signal_number == SIGINT ? ExitCode::kInterrupted
                                 : ExitCode::kTerminated;
}

/// Everything before the processes run; nothing if told to stop.
std::optional<HostProcesses> prepare_host(const SageMakerEnvironment& job,
                                          const TrainOptions& options,
                                          const Environment& environment,
                                          const StopSignal& stop,
                                          PipeCopies& copies) {
  const auto should_stop = [&stop] { return stop.received() != 0; };
  for (const std::string& warning : channel_warnings(job, options)) {
    log_warning(warning);
  }
  if (!copies.make(job, options, environment, should_stop)) return std::nullopt;
  TrainOptions with_copies = options;
  use_pipe_copies(job, copies.environment(), with_copies);
  check_training(with_copies);
  HostProcesses host =
      whole_job(devices_of(job, options, environment), environment);
  host.layout = layout_of(job, options, host.count());
  host.environment.merge(copies.environment());
  host.environment.merge(sagemaker_network(job, environment));
  if (should_stop()) return std::nullopt;
  return host;
}

}  // namespace

ExitCode train_on_sagemaker_host(const SageMakerEnvironment& job,
                                 const TrainOptions& options,
                                 const Arguments& arguments,
                                 const Environment& environment) {
  remove_tree(sagemaker_failure_file(job.base_dir));  // An earlier attempt's.
  PipeCopies copies;
  std::optional<HostProcesses> host;
  {
    // The first process of a container gets no signal that it does not handle.
    const StopSignal stop;
    host = prepare_host(job, options, environment, stop, copies);
    if (!host) return stopped_before_start(stop.received());
  }
  return run_train_processes(options, arguments, *host);
}

}  // namespace longformer
