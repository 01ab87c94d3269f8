// SPDX-License-Identifier: MIT
#include "shared_command.h"

#include <unistd.h>

#include <chrono>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/io/private_folder.h"
#include "longformer/launch/host_processes.h"
#include "longformer/launch/network_interface.h"

#include "command_start.h"
#include "end_on_signal.h"

namespace longformer {
namespace {

DeviceList wanted_devices(const SharedCommand& command,
                          const Environment& environment) {
  DeviceList devices =
      devices_of_host(command.compute, command.launch.processes, environment);
  if (needs_processes(devices) && command.reads_standard_input &&
      isatty(STDIN_FILENO) == 1) {
    throw ConfigError(
        "processes: processes that share the work cannot read from a terminal; "
        "give a file or a pipe");
  }
  return devices;
}

ExitCode start_processes(const SharedCommand& command,
                         const Environment& environment,
                         const DeviceList& devices) {
  const int count = static_cast<int>(devices.visible_devices.size());
  // Stays if it may tell why they failed.
  PrivateFolder logs(variable(environment, "TMPDIR"));
  ListeningSocket socket;
  ChildPlace place;
  place.world_size = count;
  place.rendezvous = socket.rendezvous();
  place.threads = threads_of_process(command.compute.threads, environment,
                                     available_threads(), count);
  ProcessGroupOptions group = host_processes(
      command.name, command.arguments, environment, devices, place, &socket);
  group.log_directory = logs.path();
  group.passes_streams = true;
  const ProcessGroupResult result = run_process_group(group);
  if (result.failure) {
    logs.keep();
    log_error(describe(*result.failure));
  }
  return static_cast<ExitCode>(result.exit_code);
}

}  // namespace

void check_processes(std::int64_t wanted, const LaunchEnvironment& launch) {
  if (wanted == 0 || wanted == launch.world_size) return;
  throw ConfigError("processes: " + std::to_string(wanted) + " contradicts " +
                    std::string(name_of(launch.kind)) + ", which started " +
                    std::to_string(launch.world_size) +
                    "; leave the option out");
}

CommunicatorSettings communicator_settings(const LaunchEnvironment& launch,
                                           const LaunchOptions& options,
                                           const Environment& environment,
                                           const ComputeDevice& device) {
  CommunicatorSettings settings;
  settings.cuda = device.cuda;
  settings.start_timeout = std::chrono::seconds(options.start_timeout);
  // On one host they use the loopback interface, which nobody else reaches.
  const bool is_one_host = launch.local_world_size == launch.world_size;
  if (!is_one_host || !options.network_interface.empty()) {
    settings.interface = choose_interface(options.network_interface,
                                          environment, network_interfaces());
  }
  settings.collective_timeout =
      std::chrono::seconds(options.collective_timeout);
  return settings;
}

ExitCode run_shared(
    const SharedCommand& command,
    const std::function<void(Communicator*, const ComputeDevice&)>& work) {
  check_devices(command.compute.devices);
  const Environment environment = current_environment();
  const LaunchEnvironment launch =
      detect_launch_environment(environment, command.launch.rendezvous);
  if (launch.kind == LauncherKind::kNone) {
    const DeviceList devices = wanted_devices(command, environment);
    if (needs_processes(devices)) {
      return start_processes(command, environment, devices);
    }
  } else {
    check_processes(command.launch.processes, launch);
  }
  // Before the first thread.
  const EndOnSignal end_on_signal;
  if (launch.kind != LauncherKind::kOwn && launch.rank != 0) {
    set_log_level(LogLevel::kWarning);
  }
  command.log_options();
  const ComputeDevice device =
      take_compute_device(command.compute, launch, environment);
  if (launch.world_size == 1) {
    work(nullptr, device);
    return ExitCode::kSuccess;
  }
  Communicator communicator(
      launch,
      communicator_settings(launch, command.launch, environment, device));
  tell_others_of_failure(&communicator, [&] {
    work(&communicator, device);
    communicator.leave();
  });
  return ExitCode::kSuccess;
}

}  // namespace longformer
