// SPDX-License-Identifier: MIT
#include "longformer/launch/child_environment.h"

#include <string>

#include <gtest/gtest.h>

#include "longformer/launch/launch_environment.h"
#include "longformer/launch/listening_socket.h"

#include "launch/shell_group.h"

namespace longformer {
namespace {

ChildPlace place_of_rank(int rank) {
  ChildPlace place;
  place.rank = rank;
  place.world_size = 6;
  place.local_rank = rank % 3;
  place.local_world_size = 3;
  place.rendezvous = parse_rendezvous("127.0.0.1:4711", "test");
  place.rendezvous.listen_descriptor = 8;
  place.rendezvous.key_prefix = "word";
  place.visible_devices = "GPU-5a3c";
  place.threads = 5;
  return place;
}

TEST(ChildEnvironmentTest, IsReadAgainByTheChild) {
  for (const int rank : {0, 4}) {
    ChildPlace place = place_of_rank(rank);
    place.terminal_columns = 90;
    const LaunchEnvironment launch =
        detect_launch_environment(child_environment(place));
    EXPECT_EQ(launch.kind, LauncherKind::kOwn);
    EXPECT_EQ(launch.rank, rank);
    EXPECT_EQ(launch.world_size, 6);
    EXPECT_EQ(launch.local_rank, rank % 3);
    EXPECT_EQ(launch.local_world_size, 3);
    EXPECT_EQ(launch.terminal_columns, 90);
    Rendezvous expected = place.rendezvous;
    if (rank != 0) expected.listen_descriptor = -1;
    EXPECT_EQ(launch.rendezvous, expected);
  }
}

TEST(ChildEnvironmentTest, HoldsDeviceAndThreads) {
  const Environment environment = child_environment(place_of_rank(1));
  EXPECT_EQ(environment.at("CUDA_VISIBLE_DEVICES"), "GPU-5a3c");
  EXPECT_EQ(environment.at("OMP_NUM_THREADS"), "5");
  EXPECT_EQ(environment.count("LONGFORMER_TERMINAL_COLUMNS"), 0U);
  // On a CPU the variable is set and empty: that hides all GPUs.
  ChildPlace place = place_of_rank(1);
  place.visible_devices.clear();
  EXPECT_EQ(child_environment(place).at("CUDA_VISIBLE_DEVICES"), "");
}

TEST(ChildEnvironmentTest, AJobOfOneHasNoRendezvous) {
  ChildPlace place;
  const LaunchEnvironment launch =
      detect_launch_environment(child_environment(place));
  EXPECT_EQ(launch.kind, LauncherKind::kOwn);
  EXPECT_EQ(launch.rendezvous, Rendezvous{});
}

TEST(ChildEnvironmentTest, RankZeroInheritsTheListeningSocket) {
  test::ShellGroup group(
      "test -n \"$LONGFORMER_LISTEN_FD\" || exit 0; "
      "readlink /proc/self/fd/$LONGFORMER_LISTEN_FD",
      2);
  ListeningSocket socket;
  for (int rank = 0; rank < 2; ++rank) {
    ChildPlace place = place_of_rank(rank);
    place.rendezvous = socket.rendezvous();
    RankProcess& process = group.options.ranks[static_cast<std::size_t>(rank)];
    process.environment = child_environment(place);
    if (rank == 0) process.inherited = {socket.descriptor()};
  }
  socket.release();
  EXPECT_EQ(group.run().exit_code, 0);
  EXPECT_EQ(group.output().substr(0, 7), "socket:");
  EXPECT_EQ(group.log(1), "");
}

}  // namespace
}  // namespace longformer
