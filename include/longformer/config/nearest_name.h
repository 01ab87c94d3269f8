// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longformer {

/// The candidate that `name` most likely is a misspelling of, or "" if none is
/// close. Case and the kind of separator (- _) do not count.
///
/// Cost: length of `name` (cut at 100) times the length of all candidates.
std::string nearest_name(std::string_view name,
                         const std::vector<std::string>& candidates);

}  // namespace longformer
