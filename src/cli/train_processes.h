// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/sagemaker_environment.h"

#include "commands.h"

namespace longformer {

/// The processes of a job that this host contributes.
struct HostProcesses {
  DeviceList devices;                ///< One entry a process.
  HostLayout layout;                 ///< Their ranks, and where all hosts meet.
  Environment environment;           ///< Of each of them, complete.
  std::size_t terminal_columns = 0;  ///< See TrainingDisplay.

  int count() const { return static_cast<int>(devices.visible_devices.size()); }
};

/// All processes of a job on this host, one for each of `devices`.
HostProcesses whole_job(const DeviceList& devices,
                        const Environment& environment);

/// Runs `train` with these arguments as so many processes and returns what the
/// job ends with: success, or the code of the signal that stopped it.
/// Throws Error with the first cause of a failure, and its exit code.
ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const HostProcesses& host);

}  // namespace longformer
