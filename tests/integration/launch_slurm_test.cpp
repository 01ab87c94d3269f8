// SPDX-License-Identifier: MIT
//
// Tasks of a Slurm step, as srun starts them: each with its own variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SlurmJobTest : public JobTest {
 protected:
  /// Two tasks on one node; the port follows from the job's number.
  static Variables task(int rank) {
    const std::string number = std::to_string(rank);
    return {{"SLURM_PROCID", number},    {"SLURM_LOCALID", number},
            {"SLURM_NTASKS", "2"},       {"SLURM_TASKS_PER_NODE", "2"},
            {"SLURM_NODEID", "0"},       {"SLURM_STEP_ID", "0"},
            {"SLURM_NODELIST", "gpu07"}, {"SLURM_JOB_NAME", "train"},
            {"SLURM_JOB_ID", "4711"},    {"MASTER_ADDR", loopback_host()}};
  }
};

TEST_F(SlurmJobTest, TrainsWhatOwnProcessesTrain) {
  train_reference();
  const auto runs = run_ranks({task(0), task(1)}, command("slurm"));
  for (const RankRun& run : runs) EXPECT_EQ(run.exit_code, 0) << run.log;
  expect_reference(path("slurm/model"));
  EXPECT_THAT(runs[0].log, AllOf(HasSubstr("rank 0 of 2, started by Slurm"),
                                 HasSubstr(loopback_host() + ":19711")));
  // Tasks share a terminal: the others are heard only when something is wrong.
  EXPECT_THAT(runs[1].log, Not(HasSubstr("rank 1 of 2")));
}

TEST_F(SlurmJobTest, NamesTheVariableThatContradicts) {
  Variables wrong = task(1);
  wrong["RANK"] = "0";
  const RankRun run = run_ranks({wrong}, command("slurm")).front();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.log, AllOf(HasSubstr("RANK=\"0\" contradicts"),
                             HasSubstr("SLURM_PROCID")));
}

}  // namespace
}  // namespace longformer::test
