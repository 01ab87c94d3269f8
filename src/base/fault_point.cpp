// SPDX-License-Identifier: MIT
#include "longformer/base/fault_point.h"

#include <utility>

namespace longformer {
namespace {

FaultHook installed_hook;

}  // namespace

void fault_point(std::string_view place) {
  if (installed_hook) installed_hook(place);
}

ScopedFaults::ScopedFaults(FaultHook hook) { installed_hook = std::move(hook); }
ScopedFaults::~ScopedFaults() { installed_hook = nullptr; }

}  // namespace longformer
