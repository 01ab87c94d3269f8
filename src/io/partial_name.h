// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// Names of what atomic writers leave beside "<name>" while they work:
/// "<name>.partial-<process>-<number>" for what is being written and
/// "<name>.old-<process>-<number>" for what is being replaced.
enum class LeftoverKind { kPartial, kOld };

struct Leftover {
  LeftoverKind kind;
  std::string target_name;  ///< "<name>".
};

/// A name that this process has not used before. Another machine may have:
/// creating it must fail if it exists (create_partial()).
std::string leftover_path(const std::string& target_path, LeftoverKind kind);

/// Calls `create` with names for `target_path` until one is new; returns it.
/// `create` throws FileError with EEXIST for a name that is taken.
std::string create_partial(
    const std::string& target_path,
    const std::function<void(const std::string& path)>& create);

/// What `file_name` was for, if it is such a name.
std::optional<Leftover> parse_leftover(std::string_view file_name);

}  // namespace longformer
