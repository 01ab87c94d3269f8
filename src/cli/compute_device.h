// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Device.h>

#include "longformer/config/compute_options.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/launch_environment.h"
#include "longformer/machine/cuda_runtime.h"

namespace longformer {

/// What this process computes with.
struct ComputeDevice {
  at::Device device = at::kCPU;
  CudaRuntime* cuda = nullptr;  ///< Null on the CPU.
  int threads = 1;              ///< On the CPU, besides a GPU too.
};

/// Takes the device that the option `devices` and the launcher leave to this
/// process, hides all others from it, loads CUDA if it is a GPU, and sets the
/// number of threads.
///
/// Requires: no tensor has been made and no thread started in this process.
/// Throws ConfigError saying why a GPU that was asked for cannot be used.
ComputeDevice take_compute_device(const ComputeOptions& options,
                                  const LaunchEnvironment& launch,
                                  const Environment& environment);

/// What the processes compute with that a command has to start on this host
/// where no launcher did. `processes`: the option.
/// Throws ConfigError, see list_devices().
DeviceList devices_of_host(const ComputeOptions& options,
                           std::int64_t processes,
                           const Environment& environment);

/// Whether there have to be processes besides this one, which cannot take a GPU
/// once it has looked at all of them.
bool needs_processes(const DeviceList& devices);

}  // namespace longformer
