// SPDX-License-Identifier: MIT
#include "train_processes.h"

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

ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const Environment& environment, int num_processes,
                             std::size_t terminal_columns) {
  ListeningSocket socket;
  ChildPlace place;
  place.world_size = place.local_world_size = num_processes;
  place.rendezvous = socket.rendezvous();
  place.threads = threads_of_process(options.compute.threads, environment,
                                     available_threads(), num_processes);
  place.terminal_columns = static_cast<int>(terminal_columns);

  ProcessGroupOptions group;
  group.arguments = {"longformer", "train"};
  group.arguments.insert(group.arguments.end(), arguments.begin(),
                         arguments.end());
  group.environment = environment;
  group.log_directory = join_path(options.run.output_dir, "logs");
  for (int rank = 0; rank < num_processes; ++rank) {
    place.rank = place.local_rank = rank;
    RankProcess process{rank, child_environment(place), {}};
    if (rank == 0) process.inherited.push_back(socket.release());
    group.ranks.push_back(std::move(process));
  }
  const ProcessGroupResult result = run_process_group(group);
  if (result.failure) log_error(describe(*result.failure));
  return static_cast<ExitCode>(result.exit_code);
}

}  // namespace longformer
