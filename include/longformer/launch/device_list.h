// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/config/device_request.h"
#include "longformer/launch/environment.h"

namespace longformer {

/// What each process of this host computes with.
struct DeviceList {
  bool uses_gpus = false;
  /// The value of CUDA_VISIBLE_DEVICES for each process: one device, by its
  /// number, UUID or MIG name as it was given; "" on a CPU, which hides all.
  std::vector<std::string> visible_devices;

  bool operator==(const DeviceList&) const = default;
};

/// The GPUs that this process could open: the device files nvidia0, nvidia1 ...
/// of a folder. CUDA stays untouched: a process that has initialised it can
/// neither hide devices from itself nor safely fork.
int count_gpus(const std::string& device_folder = "/dev");

/// Resolves the option `devices`. Like CUDA, it counts GPUs from 0 within
/// CUDA_VISIBLE_DEVICES, if that is set, which may hold numbers, UUIDs and MIG
/// names, and ends at -1.
///
/// num_processes: the option `processes`; 0: one for each GPU, or one on the
///   CPU. With GPUs it may only say what they say.
/// num_gpus: what count_gpus() gives, or 0 where the program cannot use GPUs.
///
/// Throws ConfigError if GPUs are asked for that are not there, if
/// CUDA_VISIBLE_DEVICES is malformed or names a device twice, or if
/// num_processes does not fit.
DeviceList list_devices(const DeviceRequest& request,
                        std::int64_t num_processes,
                        const Environment& environment, int num_gpus);

/// The same where a launcher has started the processes: what the process with
/// this local rank is to see. Launchers differ: some show a process its own
/// device only, others all.
///
/// Throws ConfigError, also if there are fewer GPUs than processes on the host.
std::string device_of_local_rank(const DeviceList& devices, int local_rank,
                                 int local_world_size);

/// CPU threads of each process: the option `threads` if it is not 0, else
/// OMP_NUM_THREADS if it is set, else its share of the `available` ones (as
/// available_threads() gives them), the same for all so that all compute the
/// same, and at least 1.
/// Throws ConfigError if OMP_NUM_THREADS is no number.
int threads_of_process(std::int64_t threads_option,
                       const Environment& environment, int available,
                       int num_processes);

}  // namespace longformer
