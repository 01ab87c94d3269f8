// SPDX-License-Identifier: MIT
#include "command_start.h"

#include <ATen/Parallel.h>

#include "longformer/base/log.h"
#include "longformer/base/threads.h"

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
  if (devices == "auto" || devices == "cpu") return;
  throw ConfigError(
      "devices: this build of longformer computes on the CPU "
      "only, got \"" +
      devices + "\"; give cpu or auto");
}

}  // namespace longformer
