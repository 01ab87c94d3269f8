// SPDX-License-Identifier: MIT
#include "longformer/launch/host_processes.h"

#include <utility>

namespace longformer {

ProcessGroupOptions host_processes(const std::string& command,
                                   const std::vector<std::string>& arguments,
                                   const Environment& environment,
                                   const DeviceList& devices,
                                   const ChildPlace& first,
                                   ListeningSocket* socket) {
  const auto& visible = devices.visible_devices;
  ProcessGroupOptions group;
  group.arguments = {"longformer", command};
  group.arguments.insert(group.arguments.end(), arguments.begin(),
                         arguments.end());
  group.environment = environment;
  ChildPlace place = first;
  place.local_world_size = static_cast<int>(visible.size());
  for (place.local_rank = 0; place.local_rank < place.local_world_size;
       ++place.local_rank) {
    place.rank = first.rank + place.local_rank;
    place.visible_devices = visible[static_cast<std::size_t>(place.local_rank)];
    RankProcess process{place.rank, child_environment(place), {}};
    if (socket != nullptr && place.local_rank == 0) {
      process.inherited.push_back(socket->release());
    }
    group.ranks.push_back(std::move(process));
  }
  return group;
}

}  // namespace longformer
