// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "longformer/config/field.h"

namespace longformer {

/// In which type gradients travel between processes.
enum class Compression { kNone, kFp16 };

template <>
struct EnumNames<Compression> {
  static constexpr std::array<std::string_view, 2> kNames{"none", "fp16"};
};

/// What the processes of a training exchange.
struct ExchangeOptions {
  Compression compression = Compression::kNone;
  std::int64_t verify_replicas = 0;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&ExchangeOptions::compression,
          field("compression",
                "none, or fp16: gradients travel between the processes in half "
                "precision, in half of the bytes, and are rounded by it."));
    visit(&ExchangeOptions::verify_replicas,
          field("verify_replicas",
                "Compare the weights of all processes after so many steps and "
                "end the job if they differ; 0: never.")
              .unit("steps")
              .at_least(0));
  }
};

}  // namespace longformer
