// SPDX-License-Identifier: MIT
//
// Processes of MPI launchers, which number them but say nowhere to meet.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MpiJobTest : public JobTest {
 protected:
  static Variables open_mpi(int rank) {
    const std::string number = std::to_string(rank);
    return {{"OMPI_COMM_WORLD_RANK", number},
            {"OMPI_COMM_WORLD_SIZE", "2"},
            {"OMPI_COMM_WORLD_LOCAL_RANK", number},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  }
  /// As MPICH's and Intel MPI's mpiexec have it.
  static Variables hydra(int rank) {
    const std::string number = std::to_string(rank);
    return {{"PMI_RANK", number},
            {"PMI_SIZE", "2"},
            {"MPI_LOCALRANKID", number},
            {"MPI_LOCALNRANKS", "2"}};
  }
};

TEST_F(MpiJobTest, OpenMpiMeetsAtAnAddress) {
  train_reference();
  run_ranks_well(
      {open_mpi(0), open_mpi(1)},
      with(command("mpi"), {"--rendezvous", loopback_host() + ":29411"}));
  expect_reference(path("mpi/model"));
}

TEST_F(MpiJobTest, MpichMeetsInASharedFileThatIsUsedOnce) {
  train_reference();
  const std::string file = path("meeting");
  run_ranks_well({hydra(0), hydra(1)},
                 with(command("mpi"), {"--rendezvous", file}));
  expect_reference(path("mpi/model"));
}

TEST_F(MpiJobTest, AFileOfAnEarlierJobIsNotTakenForThisOne) {
  write("meeting", "");
  const auto half = with(command("mpi"), {"--rendezvous", path("meeting"),
                                          "--start-timeout", "1"});
  EXPECT_EQ(run_ranks({hydra(1)}, half).front().exit_code, 6);
  const RankRun again = run_ranks({hydra(1)}, half).front();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.log, HasSubstr("choose another rendezvous"));
}

TEST_F(MpiJobTest, NeedsToBeToldWhereToMeet) {
  const RankRun run = run_ranks({open_mpi(0)}, command("mpi")).front();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.log, AllOf(HasSubstr("Open MPI started 2 processes"),
                             HasSubstr("--rendezvous HOST:PORT")));
  EXPECT_FALSE(std::filesystem::exists(path("mpi")));
}

}  // namespace
}  // namespace longformer::test
