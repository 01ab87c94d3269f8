// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "longformer/config/field.h"

namespace longformer {

/// What the program computes with; changes memory and speed, not results.
struct ComputeOptions {
  std::int64_t micro_batch_tokens = 16384;
  std::int64_t threads = 0;
  std::string devices = "auto";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&ComputeOptions::micro_batch_tokens,
          field("micro_batch_tokens",
                "Most tokens that a device works on at once (a longer "
                "document comes alone). Changes memory and speed, not the "
                "result.")
              .unit("tokens")
              .range(1, 1e12));
    visit(&ComputeOptions::threads,
          field("threads", "CPU threads; 0: all that the process may use.")
              .unit("threads")
              .range(0, 4096));
    visit(&ComputeOptions::devices,
          field("devices",
                "auto (all GPUs, or the CPU if there is none), cpu, or GPU "
                "numbers such as 0,1."));
  }
};

}  // namespace longformer
