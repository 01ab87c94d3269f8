// SPDX-License-Identifier: MIT
#include "longformer/launch/child_environment.h"

#include "launcher_readers.h"

namespace longformer {

Environment child_environment(const ChildPlace& place) {
  Environment environment;
  const auto set = [&](std::string_view name, const std::string& value) {
    environment[std::string(name)] = value;
  };
  set(kOwnNames.rank, std::to_string(place.rank));
  set(kOwnNames.world_size, std::to_string(place.world_size));
  set(kOwnNames.local_rank, std::to_string(place.local_rank));
  set(kOwnNames.local_world_size, std::to_string(place.local_world_size));
  set("CUDA_VISIBLE_DEVICES", place.visible_devices);
  set("OMP_NUM_THREADS", std::to_string(place.threads));
  const Rendezvous& meeting = place.rendezvous;
  if (meeting.kind != Rendezvous::Kind::kNone) {
    set(kOwnRendezvous, to_text(meeting));
    set(kOwnKeyPrefix, meeting.key_prefix);
    if (place.rank == 0 && meeting.listen_descriptor >= 0) {
      set(kOwnListen, std::to_string(meeting.listen_descriptor));
    }
  }
  if (place.terminal_columns > 0) {
    set(kOwnColumns, std::to_string(place.terminal_columns));
  }
  return environment;
}

}  // namespace longformer
