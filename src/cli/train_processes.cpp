// SPDX-License-Identifier: MIT
#include "train_processes.h"

#include <optional>
#include <string>
#include <utility>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/io/file_system.h"
#include "longformer/launch/child_environment.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/listening_socket.h"
#include "longformer/launch/process_group_parent.h"

#include "command_start.h"

namespace longformer {

int count_processes(const TrainOptions& options,
                    const Environment& environment) {
  const DeviceList devices = list_devices(
      parse_devices(options.compute.devices), options.launch.processes,
      environment, gpus_for_computing().count);
  return static_cast<int>(devices.visible_devices.size());
}

HostProcesses whole_job(int count, const Environment& environment) {
  HostProcesses host;
  host.count = host.layout.world_size = count;
  host.environment = environment;
  return host;
}

ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const HostProcesses& host) {
  const int num_hosts = host.layout.world_size / host.count;
  log_info("world size " + std::to_string(host.layout.world_size) + " (" +
           std::to_string(num_hosts) + (num_hosts == 1 ? " host" : " hosts") +
           " x " + std::to_string(host.count) + ")");
  ChildPlace place;
  place.world_size = host.layout.world_size;
  place.local_world_size = host.count;
  place.rendezvous = host.layout.rendezvous;
  place.threads = threads_of_process(options.compute.threads, host.environment,
                                     available_threads(), host.count);
  place.terminal_columns = static_cast<int>(host.terminal_columns);
  std::optional<ListeningSocket> socket;
  if (num_hosts == 1 && host.count > 1) {
    place.rendezvous = socket.emplace().rendezvous();
  }

  ProcessGroupOptions group;
  group.arguments = {"longformer", "train"};
  group.arguments.insert(group.arguments.end(), arguments.begin(),
                         arguments.end());
  group.environment = host.environment;
  group.log_directory = join_path(options.run.output_dir, "logs");
  for (int local_rank = 0; local_rank < host.count; ++local_rank) {
    place.rank = host.layout.first_rank + local_rank;
    place.local_rank = local_rank;
    RankProcess process{place.rank, child_environment(place), {}};
    if (socket && local_rank == 0) {
      process.inherited.push_back(socket->release());
    }
    group.ranks.push_back(std::move(process));
  }
  const ProcessGroupResult result = run_process_group(group);
  const auto code = static_cast<ExitCode>(result.exit_code);
  if (result.failure) throw Error(code, describe(*result.failure));
  return code;
}

}  // namespace longformer
