// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "longformer/launch/process_group_parent.h"

#include "support/temp_dir.h"

namespace longformer::test {

/// Processes of the program rank_worker that meet on a loopback port, each with
/// one thread.
class RankGroup {
 public:
  /// `scenario`: the worker's arguments.
  RankGroup(std::vector<std::string> scenario, int num_ranks);

  ProcessGroupResult run();
  std::chrono::milliseconds duration() const { return duration_; }
  /// What a rank printed.
  std::string log(int rank) const;

  ProcessGroupOptions options;

 private:
  TempDir folder_;
  std::chrono::milliseconds duration_{0};
};

/// Runs a scenario that has to succeed on all ranks.
void expect_success(const std::vector<std::string>& scenario, int num_ranks);

}  // namespace longformer::test
