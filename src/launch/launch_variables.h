// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "longformer/launch/environment.h"

namespace longformer {

inline constexpr int kMaxPort = 65535;
/// More processes than any job has; keeps products of counts within an int.
inline constexpr int kMaxProcesses = 1 << 20;

/// The whole number that fills `text` and lies in [min, max]; signs other than
/// a minus, blanks and fractions are refused.
std::optional<int> whole_number(std::string_view text, int min, int max);

/// `environment` read with errors that name the variable and its value.
class LaunchVariables {
 public:
  /// `launcher` is named by the errors. Both must outlive this object.
  LaunchVariables(const Environment& environment, std::string_view launcher)
      : environment_(environment), launcher_(launcher) {}

  bool has(std::string_view name) const { return !text(name).empty(); }
  bool has_any(std::initializer_list<std::string_view> names) const;
  std::string_view text(std::string_view name) const {
    return variable(environment_, name);
  }

  /// Throws ConfigError naming those that are missing beside those that are
  /// set, unless all are set.
  void require(std::initializer_list<std::string_view> names) const;

  /// The value of a variable that is set. Throws ConfigError unless it is a
  /// whole number in [min, max].
  int number(std::string_view name, int min, int max) const;
  int number_or(std::string_view name, int fallback, int min, int max) const;

  /// `NAME="value"`, as all errors show it.
  std::string shown(std::string_view name) const;

 private:
  const Environment& environment_;
  std::string_view launcher_;
};

}  // namespace longformer
