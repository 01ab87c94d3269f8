// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/environment.h"

#include "commands.h"

namespace longformer {

/// How many processes `train` has to start on this host when no launcher did.
/// Throws ConfigError, see list_devices().
int count_processes(const TrainOptions& options,
                    const Environment& environment);

/// Runs `train` with these arguments as so many processes and returns what the
/// job ends with; logs why it failed.
///
/// `terminal_columns`: see run_training().
ExitCode run_train_processes(const TrainOptions& options,
                             const Arguments& arguments,
                             const Environment& environment, int num_processes,
                             std::size_t terminal_columns);

}  // namespace longformer
