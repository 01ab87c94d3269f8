// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace longformer {

/// Value of the option `class_weights`: "none", "balanced" (a class's weight is
/// documents / (classes * documents of the class)), or one number a class in
/// the order of the labels.
struct ClassWeights {
  enum class Kind { kNone, kBalanced, kList };
  Kind kind = Kind::kNone;
  std::vector<double> values;  ///< Only for kList; each > 0 or = 0.

  bool operator==(const ClassWeights&) const = default;
};

}  // namespace longformer
