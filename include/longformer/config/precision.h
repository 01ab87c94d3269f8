// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "longformer/config/field.h"

namespace longformer {

/// Type of the matrix products; parameters and sums are fp32 in any case.
enum class Precision { kAuto, kFp32, kFp16, kBf16 };

template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 4> kNames{"auto", "fp32",
                                                          "fp16", "bf16"};
};

}  // namespace longformer
