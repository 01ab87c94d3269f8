// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "longformer/config/field.h"

namespace longformer {

/// The processes that share the work of one run; results do not depend on
/// their number.
struct LaunchOptions {
  std::int64_t processes = 0;
  std::string rendezvous;
  std::string network_interface;
  std::int64_t start_timeout = 300;
  std::int64_t collective_timeout = 300;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&LaunchOptions::processes,
          field("processes",
                "Processes that share the work; 0: one for each GPU, or one "
                "on the CPU, or those that a launcher has started.")
              .unit("processes")
              .range(0, 4096));
    visit(&LaunchOptions::rendezvous,
          field("rendezvous",
                "Where the processes of a launcher meet: HOST:PORT of rank 0, "
                "or the path of a new file that all hosts see; empty: where "
                "the launcher says."));
    visit(&LaunchOptions::network_interface,
          field("network_interface",
                "Network interface over which processes of several hosts "
                "exchange, such as eth0; empty: GLOO_SOCKET_IFNAME or "
                "NCCL_SOCKET_IFNAME if set, else the one on the way to where "
                "they meet."));
    visit(&LaunchOptions::start_timeout,
          field("start_timeout",
                "How long processes wait for each other when they start.")
              .unit("seconds")
              .range(1, 86400));
    visit(&LaunchOptions::collective_timeout,
          field("collective_timeout",
                "How long a process may be silent before the others take it "
                "for lost and the job ends. One that reads, measures or saves "
                "for all may take as long as it needs.")
              .unit("seconds")
              .range(1, 86400));
  }
};

}  // namespace longformer
