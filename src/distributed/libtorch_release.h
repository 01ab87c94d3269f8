// SPDX-License-Identifier: MIT
#pragma once

#include <torch/version.h>

namespace longformer {

/// Whether this is compiled against LibTorch `major`.`minor` or newer. What
/// differs between releases asks here.
constexpr bool is_libtorch_at_least(int major, int minor) {
  return TORCH_VERSION_MAJOR > major ||
         (TORCH_VERSION_MAJOR == major && TORCH_VERSION_MINOR >= minor);
}

}  // namespace longformer
