// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/base/error.h"

namespace longformer {

/// Tells whoever started this process as one of a job's why it ends; does
/// nothing without such a launcher. Returns whether that shows the message
/// where this process's would appear, so that it need not be logged. Never
/// throws.
bool tell_launcher(ExitCode code, const std::string& message) noexcept;

}  // namespace longformer
