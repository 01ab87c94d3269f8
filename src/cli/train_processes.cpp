// SPDX-License-Identifier: MIT
#include "train_processes.h"

#include <optional>
#include <string>
#include <utility>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/io/file_system.h"
#include "longformer/launch/child_environment.h"
#include "longformer/launch/listening_socket.h"
#include "longformer/launch/process_group_parent.h"

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
  ChildPlace place;
  place.world_size = host.layout.world_size;
  place.local_world_size = host.count();
  place.rendezvous = host.layout.rendezvous;
  place.threads = threads_of_process(options.compute.threads, host.environment,
                                     available_threads(), host.count());
  place.terminal_columns = static_cast<int>(host.terminal_columns);
  std::optional<ListeningSocket> socket;
  if (num_hosts == 1 && host.count() > 1) {
    place.rendezvous = socket.emplace().rendezvous();
  }

  ProcessGroupOptions group;
  group.arguments = {"longformer", "train"};
  group.arguments.insert(group.arguments.end(), arguments.begin(),
                         arguments.end());
  group.environment = host.environment;
  group.log_directory = join_path(options.run.output_dir, "logs");
  for (int local_rank = 0; local_rank < host.count(); ++local_rank) {
    place.rank = host.layout.first_rank + local_rank;
    place.local_rank = local_rank;
    place.visible_devices =
        host.devices.visible_devices[static_cast<std::size_t>(local_rank)];
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
