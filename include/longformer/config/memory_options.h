// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/field.h"

namespace longformer {

/// What an encoder layer computes again in the backward pass instead of keeping
/// it from the forward pass. Results are the same bit for bit.
enum class Recomputation {
  kNone,
  kSelective,  ///< What costs next to nothing: LayerNorm and activation.
  kFull,       ///< Everything; only the layer's input is kept.
};

template <>
struct EnumNames<Recomputation> {
  static constexpr std::array<std::string_view, 3> kNames{"none", "selective",
                                                          "full"};
};

/// How training trades time for memory; results do not depend on it.
struct MemoryOptions {
  std::vector<std::string> recomputation{"none"};

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&MemoryOptions::recomputation,
          field("recomputation",
                "What is computed again in the backward pass instead of kept: "
                "none, selective (LayerNorm and activation, nearly free) or "
                "full (whole layers; about a third more time, the least "
                "memory); one for all layers, or one for each."));
  }
};

/// The choice for each layer that `names` asks for: one name for all, or one a
/// layer. Throws ConfigError naming the option for another number of names or
/// an unknown name.
std::vector<Recomputation> recomputation_of(
    const std::vector<std::string>& names, std::int64_t num_layers);

}  // namespace longformer
