// SPDX-License-Identifier: MIT
#include "longformer/cli/waiting_threads.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace longformer {

void restart_with_sleeping_threads(int argc, char** argv) {
  constexpr std::array<std::string_view, 3> kComputing{"train", "evaluate",
                                                       "predict"};
  if (argc < 2 || std::find(kComputing.begin(), kComputing.end(), argv[1]) ==
                      kComputing.end()) {
    return;
  }
  if (std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return;
  }
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) {
    execv("/proc/self/exe", argv);
  }
}

}  // namespace longformer
