// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "longformer/base/error.h"

namespace longformer {

/// Hands the reason of a failure to the parent that started this process as one
/// of a job's. Returns whether the parent is going to show it, because this
/// process shares its terminal. Never throws.
bool tell_parent(ExitCode code, const std::string& message) noexcept;

/// Writes the reason where a launcher or a platform looks for it: torchrun's
/// error file; of `train` in a SageMaker container, output/failure, unless
/// another process of the container does. The last thing that a process does.
/// Never throws.
void tell_platform(std::string_view command, ExitCode code,
                   const std::string& message) noexcept;

}  // namespace longformer
