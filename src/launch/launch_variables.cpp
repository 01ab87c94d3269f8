// SPDX-License-Identifier: MIT
#include "launch_variables.h"

#include <algorithm>
#include <charconv>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"

namespace longformer {

std::optional<int> whole_number(std::string_view text, int min, int max) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < min || number > max) {
    return std::nullopt;
  }
  return number;
}

bool LaunchVariables::has_any(
    std::initializer_list<std::string_view> names) const {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return has(name); });
}

void LaunchVariables::require(
    std::initializer_list<std::string_view> names) const {
  std::string missing;
  std::string given;
  for (const std::string_view name : names) {
    std::string& list = has(name) ? given : missing;
    if (!list.empty()) list += ", ";
    list += has(name) ? shown(name) : std::string(name);
  }
  if (missing.empty()) return;
  throw ConfigError("launcher: " + missing + " is not set" +
                    (given.empty() ? "" : " although " + given + " is") + "; " +
                    std::string(launcher_) +
                    " needs all of them, and without a launcher none may be "
                    "set");
}

int LaunchVariables::number(std::string_view name, int min, int max) const {
  if (const auto number = whole_number(text(name), min, max)) return *number;
  throw ConfigError("launcher: " + shown(name) + " is no whole number from " +
                    std::to_string(min) + " to " + std::to_string(max) + "; " +
                    std::string(launcher_) +
                    " should set it, otherwise unset it");
}

int LaunchVariables::number_or(std::string_view name, int fallback, int min,
                               int max) const {
  return has(name) ? number(name, min, max) : fallback;
}

std::string LaunchVariables::shown(std::string_view name) const {
  return std::string(name) + "=" + in_quotes(text(name));
}

}  // namespace longformer
