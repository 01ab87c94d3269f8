// SPDX-License-Identifier: MIT
#include "compute_device.h"

#include <cstdlib>
#include <string>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/config/device_request.h"
#include "longformer/machine/cuda_library.h"

#include "command_start.h"

namespace longformer {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

/// The GPU of this process for CUDA_VISIBLE_DEVICES; "": the CPU.
std::string visible_device(const ComputeOptions& options,
                           const LaunchEnvironment& launch,
                           const Environment& environment) {
  switch (launch.kind) {
    case LauncherKind::kOwn:
      return std::string(variable(environment, kVisible));
    case LauncherKind::kNone:
      return "";  // A GPU is the business of a process of its own.
    default:
      return device_of_local_rank(devices_of_host(options, 0, environment),
                                  launch.local_rank, launch.local_world_size);
  }
}

CudaRuntime& take_gpu(const std::string& visible) {
  ::setenv(kVisible, visible.c_str(), /*overwrite=*/1);
  const CudaLibrary& library = load_cuda();
  if (library.runtime == nullptr) {
    throw ConfigError("devices: " + library.reason + "; or give --devices cpu");
  }
  const GpuCount gpus = library.runtime->count_gpus();
  if (gpus.count == 0) {
    throw ConfigError("devices: GPU " + visible + ": " + gpus.reason +
                      "; `longformer doctor` says more, or give --devices cpu");
  }
  log_info("computing on GPU " + visible + ", " + library.runtime->gpu(0).name);
  return *library.runtime;
}

}  // namespace

ComputeDevice take_compute_device(const ComputeOptions& options,
                                  const LaunchEnvironment& launch,
                                  const Environment& environment) {
  ComputeDevice result;
  const std::string visible = visible_device(options, launch, environment);
  if (!visible.empty()) {
    result.cuda = &take_gpu(visible);
    result.device = at::Device(at::kCUDA, 0);
  }
  const bool is_alone =
      launch.world_size == 1 && launch.kind != LauncherKind::kOwn;
  result.threads = set_compute_threads(
      is_alone
          ? options.threads
          : threads_of_process(options.threads, environment,
                               available_threads(), launch.local_world_size));
  return result;
}

DeviceList devices_of_host(const ComputeOptions& options,
                           std::int64_t processes,
                           const Environment& environment) {
  return list_devices(parse_devices(options.devices), processes, environment,
                      usable_gpus().count);
}

bool needs_processes(const DeviceList& devices) {
  return devices.uses_gpus || devices.visible_devices.size() > 1;
}

}  // namespace longformer
