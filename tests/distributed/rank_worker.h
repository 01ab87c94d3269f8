// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "longformer/distributed/communicator.h"

namespace longformer::test {

/// What a process of a group does; its words follow the scenario's name.
using Words = std::vector<std::string>;
using Scenario = std::function<void(Communicator&, const Words&)>;

std::map<std::string, Scenario> exchange_scenarios();
std::map<std::string, Scenario> training_scenarios();

inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

}  // namespace longformer::test
