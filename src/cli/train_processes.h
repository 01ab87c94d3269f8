// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/sagemaker_environment.h"

#include "commands.h"

namespace longformer {

/// How many processes `train` has to start on this host when no launcher did.
/// Throws ConfigError, see list_devices().
int count_processes(const TrainOptions& options,
                    const Environment& environment);

/// The processes of a job that this host contributes.
struct HostProcesses {
  int count = 1;
  HostLayout layout;                 ///< Their ranks, and where all hosts meet.
  Environment environment;           ///< Of each of them, complete.
  std::size_t terminal_columns = 0;  ///< See TrainingDisplay.
};

/// All processes of a job on this host.
HostProcesses whole_job(int count, const Environment& environment);

/// Runs `train` with these arguments as so many processes and returns what the
/// job ends with: success, or the code of the signal that stopped it.
/// Throws Error with the first cause of a failure, and its exit code.
ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const HostProcesses& host);

}  // namespace longformer
