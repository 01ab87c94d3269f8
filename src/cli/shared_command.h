// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "longformer/config/compute_options.h"
#include "longformer/config/launch_options.h"
#include "longformer/distributed/communicator.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/launch_environment.h"

#include "commands.h"
#include "compute_device.h"

namespace longformer {

/// A command that gives its result on standard output or in a file, and whose
/// work several processes can share.
struct SharedCommand {
  std::string name;
  const Arguments& arguments;
  const LaunchOptions& launch;
  const ComputeOptions& compute;
  bool reads_standard_input = false;
  /// Logs the options; in the process that does the work.
  std::function<void()> log_options;
};

/// Does the work of a command: in this process; as one of those that a launcher
/// has started; or in `processes` ones that are started here.
///
/// `work` gets the other processes, null if there are none, of which the one
/// with rank 0 reads and writes; and what to compute with.
/// Throws what the work throws, ConfigError about options and launcher.
ExitCode run_shared(
    const SharedCommand& command,
    const std::function<void(Communicator*, const ComputeDevice&)>& work);

/// Throws ConfigError if the option `processes` (0: not given) contradicts the
/// launcher.
void check_processes(std::int64_t wanted, const LaunchEnvironment& launch);

/// How this process talks to the others of its job.
CommunicatorSettings communicator_settings(const LaunchEnvironment& launch,
                                           const LaunchOptions& options,
                                           const Environment& environment,
                                           const ComputeDevice& device);

}  // namespace longformer
