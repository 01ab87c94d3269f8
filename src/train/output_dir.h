// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/run_options.h"
#include "longformer/io/file_lock.h"

namespace longformer {

/// Makes the output_dir of a run and takes it for this process: no other one
/// trains there while the lock lives.
///
/// Throws SystemError if it cannot be written, ConfigError if another process
/// trains there, or if it holds a run that `options` do not continue.
FileLock take_output_dir(const RunOptions& options);

/// Throws the same ConfigErrors, but makes and takes nothing.
void check_output_dir(const RunOptions& options);

}  // namespace longformer
