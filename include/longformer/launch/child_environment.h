// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/launch/environment.h"
#include "longformer/launch/rendezvous.h"

namespace longformer {

/// What the parent decides for one of the processes that it starts.
struct ChildPlace {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  Rendezvous rendezvous;
  std::string visible_devices;  ///< For CUDA_VISIBLE_DEVICES, "": none.
  int threads = 1;              ///< For OMP_NUM_THREADS.
  int terminal_columns = 0;     ///< Of the terminal that shows its output.
};

/// The variables that tell it, for RankProcess::environment;
/// detect_launch_environment() reads them again. The listening descriptor is
/// named to rank 0 only, which has to inherit it.
Environment child_environment(const ChildPlace& place);

}  // namespace longformer
