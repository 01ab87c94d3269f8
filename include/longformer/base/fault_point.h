// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

namespace longformer {

/// For tests only: a place at which a test may make the process fail, by an
/// exception, a signal or otherwise. Nothing happens without a hook.
void fault_point(std::string_view place);

/// Gets the name of every place that is passed, in the thread that passes it.
using FaultHook = std::function<void(std::string_view place)>;

/// Installs a hook for its own lifetime. One at a time.
class ScopedFaults {
 public:
  explicit ScopedFaults(FaultHook hook);
  ~ScopedFaults();
  ScopedFaults(const ScopedFaults&) = delete;
  ScopedFaults& operator=(const ScopedFaults&) = delete;
};

}  // namespace longformer
