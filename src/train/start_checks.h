// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/train_options.h"

namespace longformer {

/// Looks for everything that can be found wrong with `options` before data or
/// weights are read: files and directories that are not there, metrics that do
/// not exist.
///
/// Throws one Error that lists all of it, with the code of the first.
void check_start(const TrainOptions& options);

/// Warns of files that are both learnt from and measured on. Requires
/// check_start().
void warn_of_shared_data(const TrainOptions& options);

}  // namespace longformer
