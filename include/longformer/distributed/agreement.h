// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longformer/distributed/communicator.h"

namespace longformer {

/// A rank that gave up while the others can still be talked to.
struct FailedRank {
  int rank = 0;
  std::string message;
};

/// Collective: the first rank that passes a message, and the message.
std::optional<FailedRank> first_failure(
    Communicator& communicator, const std::optional<std::string>& failure);

/// What all ranks must have in common: names and values.
using CommonValues = std::vector<std::pair<std::string, std::string>>;

/// Collective. Throws ConfigError on every rank if a rank's values are not rank
/// 0's, naming the first such rank and the first difference.
void check_agreement(Communicator& communicator, const CommonValues& values);

}  // namespace longformer
