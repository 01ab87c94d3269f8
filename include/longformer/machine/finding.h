// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace longformer {

/// One thing that was noticed about a machine.
struct Finding {
  enum class Kind {
    kNote,     ///< Works, but worth knowing.
    kProblem,  ///< A training would not start or would fail.
  };
  Kind kind = Kind::kNote;
  std::string text;    ///< *where: what is wrong, what was found*
  std::string advice;  ///< What to do.

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

}  // namespace longformer
