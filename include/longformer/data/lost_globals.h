// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "longformer/data/encode_document.h"

namespace longformer {

/// Counts the global tokens that rows asked for and cuts have taken away.
class LostGlobals {
 public:
  void add(const EncodedDocument& document);
  /// One warning with the numbers, if any was lost.
  void warn() const;

 private:
  std::int64_t positions_ = 0;
  std::int64_t documents_ = 0;
};

}  // namespace longformer
