// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// Why a process of a job gave up.
struct FailureReport {
  int exit_code = 1;
  std::string message;

  bool operator==(const FailureReport&) const = default;
};

/// Tells the parent, through LaunchEnvironment::report_descriptor. To be called
/// once, last before the process ends; a message longer than 3 KiB is cut.
/// Returns whether it arrived. Needs no memory on a disk, so that it works when
/// the disk is full.
bool send_failure_report(int descriptor, const FailureReport& report);

/// What send_failure_report() wrote; nothing if it wrote nothing.
std::optional<FailureReport> parse_failure_report(std::string_view text);

/// Writes LaunchEnvironment::error_file for torchrun, which takes the earliest
/// report of all ranks for the cause of the failure. The file appears
/// complete or not at all: the agent breaks on half a file.
///
/// time_s: seconds since 1970. Throws FileError.
void write_torchrun_error_file(const std::string& path,
                               const FailureReport& report,
                               std::int64_t time_s);

}  // namespace longformer
