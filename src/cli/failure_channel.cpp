// SPDX-License-Identifier: MIT
#include "failure_channel.h"

#include <ctime>

#include "longformer/launch/failure_report.h"
#include "longformer/launch/launch_environment.h"

namespace longformer {

bool tell_launcher(ExitCode code, const std::string& message) noexcept {
  try {
    const LaunchEnvironment launch =
        detect_launch_environment(current_environment());
    const FailureReport report{static_cast<int>(code), message};
    const bool is_told = launch.report_descriptor >= 0 &&
                         send_failure_report(launch.report_descriptor, report);
    if (!launch.error_file.empty()) {
      write_torchrun_error_file(launch.error_file, report, std::time(nullptr));
    }
    return is_told && launch.local_rank == 0;
  } catch (const std::exception&) {
    return false;  // There is nobody else to tell.
  }
}

}  // namespace longformer
