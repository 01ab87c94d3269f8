// SPDX-License-Identifier: MIT
#include "command_start.h"

#include <ATen/Parallel.h>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/config/device_request.h"
#include "longformer/machine/cuda_library.h"

namespace longformer {

void log_options(const std::vector<std::string>& warnings,
                 const std::vector<std::string>& changes) {
  for (const std::string& warning : warnings) log_warning(warning);
  for (const std::string& change : changes) log_info("option " + change);
}

int set_compute_threads(std::int64_t wanted) {
  const int threads =
      wanted > 0 ? static_cast<int>(wanted) : available_threads();
  at::set_num_threads(threads);
  return threads;
}

void check_devices(const std::string& devices) {
  if (parse_devices(devices).kind != DeviceRequest::Kind::kGpus) return;
  const GpuCount gpus = usable_gpus();
  if (gpus.count > 0) return;
  throw ConfigError("devices: " + devices + " asks for GPUs, but " +
                    gpus.reason + "; or give cpu or auto");
}

}  // namespace longformer
