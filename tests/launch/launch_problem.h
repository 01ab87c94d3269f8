// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "longformer/base/error.h"
#include "longformer/launch/launch_environment.h"

namespace longformer {

/// Why detect_launch_environment() refuses an environment; "no error" if it
/// does not.
inline std::string problem(const Environment& environment,
                           std::string_view rendezvous = {}) {
  try {
    detect_launch_environment(environment, rendezvous);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// With the variables of `more` set, whatever they were.
inline Environment operator+(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

}  // namespace longformer
