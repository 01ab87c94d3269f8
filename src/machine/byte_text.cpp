// SPDX-License-Identifier: MIT
#include "byte_text.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace longformer {

std::string byte_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB",
                                              "TiB"};
  constexpr double kStep = 1024;
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  const bool is_whole =
      value == static_cast<double>(static_cast<std::uint64_t>(value));
  return is_whole ? fmt::format("{:.0f} {}", value, kUnits[unit])
                  : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace longformer
