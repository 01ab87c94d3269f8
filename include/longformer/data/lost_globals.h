// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "longformer/data/encode_document.h"

namespace longformer {

/// Counts the global tokens that rows asked for and cuts have taken away.
struct LostGlobals {
  std::int64_t positions = 0;
  std::int64_t documents = 0;  ///< That lost at least one.

  void add(const EncodedDocument& document);
  /// One warning with the numbers, if any was lost.
  void warn() const;
};

}  // namespace longformer
