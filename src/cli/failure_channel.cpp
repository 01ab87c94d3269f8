// SPDX-License-Identifier: MIT
#include "failure_channel.h"

#include <ctime>

#include "longformer/launch/failure_report.h"
#include "longformer/launch/launch_environment.h"

namespace longformer {

void tell_launcher(ExitCode code, const std::string& message) noexcept {
  try {
    const LaunchEnvironment launch =
        detect_launch_environment(current_environment());
    const FailureReport report{static_cast<int>(code), message};
    if (launch.report_descriptor >= 0) {
      send_failure_report(launch.report_descriptor, report);
    }
    if (!launch.error_file.empty()) {
      write_torchrun_error_file(launch.error_file, report, std::time(nullptr));
    }
  } catch (const std::exception&) {
    // The message is in the log; there is nobody else to tell.
  }
}

}  // namespace longformer
