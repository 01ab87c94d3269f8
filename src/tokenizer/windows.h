// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// Tokens [begin, end) of a text.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Window {
  TokenRange first;
  TokenRange second;
};

struct WindowPlan {
  std::vector<Window> windows;  ///< At least one.
  bool truncated = false;       ///< Whether anything had to be cut.
};

/// Which tokens of a text (or of a pair, if `second_size` is set) each window
/// holds when `special_tokens` come on top and at most settings.max_length fit,
/// by the rules of the `tokenizers` library. With `first_only` the stride is
/// ignored and the first window alone is made.
///
/// Throws ConfigError where Tokenizer::encode_windows says so.
WindowPlan plan_windows(std::size_t first_size,
                        std::optional<std::size_t> second_size,
                        std::size_t special_tokens,
                        const EncodeSettings& settings, bool first_only);

}  // namespace longformer
