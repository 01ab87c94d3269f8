// SPDX-License-Identifier: MIT
#include "train_processes.h"

#include <optional>
#include <string>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/io/file_system.h"
#include "longformer/launch/host_processes.h"

namespace longformer {

HostProcesses whole_job(const DeviceList& devices,
                        const Environment& environment) {
  HostProcesses host;
  host.devices = devices;
  host.layout.world_size = host.count();
  host.environment = environment;
  return host;
}

ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const HostProcesses& host) {
  const int num_hosts = host.layout.world_size / host.count();
  log_info("world size " + std::to_string(host.layout.world_size) + " (" +
           std::to_string(num_hosts) + (num_hosts == 1 ? " host" : " hosts") +
           " x " + std::to_string(host.count()) + ")");
  ChildPlace first;
  first.rank = host.layout.first_rank;
  first.world_size = host.layout.world_size;
  first.rendezvous = host.layout.rendezvous;
  first.threads = threads_of_process(options.compute.threads, host.environment,
                                     available_threads(), host.count());
  first.terminal_columns = static_cast<int>(host.terminal_columns);
  std::optional<ListeningSocket> socket;
  if (num_hosts == 1 && host.count() > 1) {
    first.rendezvous = socket.emplace().rendezvous();
  }
  ProcessGroupOptions group =
      host_processes("train", arguments, host.environment, host.devices, first,
                     socket ? &*socket : nullptr);
  group.log_directory = join_path(options.run.output_dir, "logs");
  const ProcessGroupResult result = run_process_group(group);
  const auto code = static_cast<ExitCode>(result.exit_code);
  if (result.failure) throw Error(code, describe(*result.failure));
  return code;
}

}  // namespace longformer
