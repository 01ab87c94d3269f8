// SPDX-License-Identifier: MIT
#include "failure_channel.h"

#include <ctime>

#include "longformer/base/log.h"
#include "longformer/launch/failure_report.h"
#include "longformer/launch/launch_environment.h"
#include "longformer/launch/sagemaker_environment.h"

namespace longformer {
namespace {

/// The agent takes the earliest report for the cause. Ranks that only lost
/// another one must not come before it, within the same second.
std::int64_t report_time(ExitCode code) {
  constexpr std::int64_t kLaterS = 2;
  return std::time(nullptr) + (code == ExitCode::kPeer ? kLaterS : 0);
}

}  // namespace

bool tell_parent(ExitCode code, const std::string& message) noexcept {
  try {
    const LaunchEnvironment launch =
        detect_launch_environment(current_environment());
    return launch.report_descriptor >= 0 &&
           send_failure_report(launch.report_descriptor,
                               {static_cast<int>(code), message}) &&
           launch.local_rank == 0;
  } catch (const std::exception&) {
    return false;  // The variables may be what is wrong.
  }
}

void tell_platform(std::string_view command, ExitCode code,
                   const std::string& message) noexcept {
  try {
    const Environment environment = current_environment();
    const std::string error_file(
        variable(environment, "TORCHELASTIC_ERROR_FILE"));
    if (!error_file.empty()) {
      return write_torchrun_error_file(
          error_file, {static_cast<int>(code), message}, report_time(code));
    }
    const auto base = find_sagemaker_base(environment);
    if (command != "train" || !base || is_own_child(environment)) return;
    write_failure_file(sagemaker_failure_file(*base), message);
  } catch (const std::exception& error) {
    log_error(std::string("the reason could not be handed on: ") +
              error.what());
  }
}

}  // namespace longformer
