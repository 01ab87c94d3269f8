// SPDX-License-Identifier: MIT
#include "longformer/config/memory_options.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

Recomputation parse(const std::string& name) {
  const auto& names = EnumNames<Recomputation>::kNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return static_cast<Recomputation>(found - names.begin());
  }
  throw ConfigError("recomputation: expected none, selective or full, got " +
                    shown(name));
}

}  // namespace

std::vector<Recomputation> recomputation_of(
    const std::vector<std::string>& names, std::int64_t num_layers) {
  const auto count = static_cast<std::size_t>(num_layers);
  if (names.empty() || (names.size() != 1 && names.size() != count)) {
    throw ConfigError("recomputation: has " + std::to_string(names.size()) +
                      " values for a model of " + std::to_string(num_layers) +
                      " layers; give one for all, or one for each");
  }
  std::vector<Recomputation> choices;
  for (const std::string& name : names) choices.push_back(parse(name));
  choices.resize(count, choices[0]);
  return choices;
}

}  // namespace longformer
