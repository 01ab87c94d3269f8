// SPDX-License-Identifier: MIT
#include "distributed/rank_group.h"

#include <gtest/gtest.h>

#include "longformer/launch/child_environment.h"
#include "longformer/launch/listening_socket.h"

namespace longformer::test {

RankGroup::RankGroup(std::vector<std::string> scenario, int num_ranks) {
  ListeningSocket socket;
  options.program = LONGFORMER_RANK_WORKER;
  options.arguments = std::move(scenario);
  options.arguments.insert(options.arguments.begin(), "rank_worker");
  options.environment = current_environment();
  options.log_directory = folder_ / "logs";
  options.output_descriptor = options.error_descriptor = -1;
  ChildPlace place;
  place.world_size = place.local_world_size = num_ranks;
  place.rendezvous = socket.rendezvous();
  for (int rank = 0; rank < num_ranks; ++rank) {
    place.rank = place.local_rank = rank;
    RankProcess process{rank, child_environment(place), {}};
    if (rank == 0) process.inherited.push_back(socket.release());
    options.ranks.push_back(process);
  }
}

ProcessGroupResult RankGroup::run() {
  const auto start = std::chrono::steady_clock::now();
  ProcessGroupResult result = run_process_group(options);
  duration_ = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return result;
}

std::string RankGroup::log(int rank) const {
  return read_file(folder_ / ("logs/rank_" + std::to_string(rank) + ".log"));
}

void expect_success(const std::vector<std::string>& scenario, int num_ranks) {
  RankGroup group(scenario, num_ranks);
  const ProcessGroupResult result = group.run();
  EXPECT_EQ(result.exit_code, 0)
      << num_ranks
      << " ranks: " << (result.failure ? describe(*result.failure) : "stopped");
}

}  // namespace longformer::test
