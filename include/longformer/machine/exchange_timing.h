// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace longformer {

/// How long it took all ranks to sum up values.
struct ExchangeTiming {
  std::uint64_t bytes = 0;  ///< Of the values that every rank has.
  double seconds = 0;       ///< Of the slowest rank, above 0.
};

}  // namespace longformer
