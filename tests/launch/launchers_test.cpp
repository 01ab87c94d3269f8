// SPDX-License-Identifier: MIT
//
// What each launcher sets, as its documentation has it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch_problem.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Environment torchrun() {
  return {{"RANK", "3"},
          {"WORLD_SIZE", "4"},
          {"LOCAL_RANK", "1"},
          {"LOCAL_WORLD_SIZE", "2"},
          {"GROUP_RANK", "1"},
          {"MASTER_ADDR", "host-a"},
          {"MASTER_PORT", "41234"},
          {"TORCHELASTIC_RESTART_COUNT", "2"},
          {"TORCHELASTIC_MAX_RESTARTS", "3"},
          {"TORCHELASTIC_RUN_ID", "none"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
          {"TORCHELASTIC_ERROR_FILE", "/tmp/error.json"}};
}

Environment slurm() {
  return {{"SLURM_PROCID", "5"},
          {"SLURM_NTASKS", "7"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NODEID", "2"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_TASKS_PER_NODE", "2(x3),1"},
          {"SLURM_NODELIST", "gpu[07-09,12]"},
          {"SLURM_JOB_ID", "1234567"},
          {"SLURM_JOB_NAME", "train"}};
}

Environment open_mpi() {
  return {{"OMPI_COMM_WORLD_RANK", "1"},
          {"OMPI_COMM_WORLD_SIZE", "4"},
          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
}

Environment hydra() {
  return {{"PMI_RANK", "2"},
          {"PMI_SIZE", "4"},
          {"MPI_LOCALRANKID", "0"},
          {"MPI_LOCALNRANKS", "2"}};
}

TEST(TorchrunTest, IsReadWithItsRestartsAndItsStore) {
  const LaunchEnvironment launch = detect_launch_environment(torchrun());
  EXPECT_EQ(launch.kind, LauncherKind::kTorchrun);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.world_size, 4);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_EQ(launch.restart_count, 2);
  EXPECT_EQ(launch.max_restarts, 3);
  EXPECT_EQ(launch.run_id, "none");
  EXPECT_EQ(launch.error_file, "/tmp/error.json");
  EXPECT_EQ(launch.rendezvous.kind, Rendezvous::Kind::kAgentStore);
  EXPECT_EQ(to_text(launch.rendezvous), "host-a:41234");
  EXPECT_EQ(launch.rendezvous.key_prefix, "/worker/attempt_2");
}

TEST(TorchrunTest, RankZeroListensWhenTheAgentDoesNot) {
  const LaunchEnvironment launch = detect_launch_environment(
      torchrun() + Environment{{"TORCHELASTIC_USE_AGENT_STORE", "False"}});
  EXPECT_EQ(launch.rendezvous.kind, Rendezvous::Kind::kAddress);
}

TEST(TorchrunTest, ComesBeforeTheLauncherThatStartedIt) {
  const LaunchEnvironment launch =
      detect_launch_environment(torchrun() + slurm() + open_mpi());
  EXPECT_EQ(launch.kind, LauncherKind::kTorchrun);
  EXPECT_EQ(launch.rank, 3);
}

TEST(TorchrunTest, NeedsAllItsVariables) {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK",
                           "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    Environment partial = torchrun();
    partial.erase(name);
    EXPECT_THAT(
        problem(partial),
        AllOf(HasSubstr(std::string(name) + " is not"), HasSubstr("torchrun")));
  }
  EXPECT_THAT(
      problem(torchrun() + Environment{{"TORCHELASTIC_RESTART_COUNT", "-1"}}),
      HasSubstr("TORCHELASTIC_RESTART_COUNT=\"-1\""));
  EXPECT_THAT(problem(torchrun() +
                      Environment{{"TORCHELASTIC_USE_AGENT_STORE", "maybe"}}),
              HasSubstr("TORCHELASTIC_USE_AGENT_STORE=\"maybe\""));
  EXPECT_THAT(problem(torchrun(), "host:1"), HasSubstr("under torchrun"));
}

TEST(SlurmTest, IsReadWithItsListOfNodes) {
  const LaunchEnvironment launch = detect_launch_environment(slurm());
  EXPECT_EQ(launch.kind, LauncherKind::kSlurm);
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.world_size, 7);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_EQ(to_text(launch.rendezvous), "gpu07:19567");
}

TEST(SlurmTest, StepsOfOneJobUseDifferentPorts) {
  const auto port = [](const char* step) {
    return detect_launch_environment(slurm() +
                                     Environment{{"SLURM_STEP_ID", step}})
        .rendezvous.port;
  };
  EXPECT_NE(port("0"), port("1"));
  EXPECT_NE(port("1"), port("2"));
  for (const char* step : {"3", "9999", "4294967290"}) {
    EXPECT_GE(port(step), 15000) << step;
    EXPECT_LT(port(step), 25000) << step;
  }
}

TEST(SlurmTest, TheStepsOwnVariablesComeFirst) {
  const LaunchEnvironment launch = detect_launch_environment(
      slurm() + Environment{{"SLURM_PROCID", "1"},
                            {"SLURM_STEP_NUM_TASKS", "2"},
                            {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                            {"SLURM_STEP_NODELIST", "gpu[09,12]"},
                            {"SLURM_NODEID", "1"},
                            {"SLURM_LOCALID", "0"}});
  EXPECT_EQ(launch.world_size, 2);
  EXPECT_EQ(launch.local_world_size, 1);
  EXPECT_EQ(launch.rendezvous.host, "gpu09");
}

TEST(SlurmTest, OnOneNodeRanksMeetOnTheLoopbackInterface) {
  const LaunchEnvironment launch = detect_launch_environment(
      slurm() + Environment{{"SLURM_NTASKS", "4"},
                            {"SLURM_PROCID", "1"},
                            {"SLURM_NODEID", "0"},
                            {"SLURM_TASKS_PER_NODE", "4"}});
  EXPECT_EQ(launch.rendezvous.host, "127.0.0.1");
}

TEST(SlurmTest, AddressesGivenByHandComeFirst) {
  EXPECT_EQ(to_text(detect_launch_environment(
                        slurm() + Environment{{"MASTER_PORT", "999"}})
                        .rendezvous),
            "gpu07:999");
  EXPECT_EQ(to_text(detect_launch_environment(slurm() +
                                              Environment{{"MASTER_ADDR", "x"}})
                        .rendezvous),
            "x:19567");
  EXPECT_EQ(detect_launch_environment(slurm(), "/shared/f").rendezvous.path,
            "/shared/f");
}

TEST(SlurmTest, ATaskAloneIsNoJob) {
  for (const Environment& alone :
       {Environment{{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}},
        Environment{{"SLURM_JOB_NAME", "bash"}},
        Environment{{"SLURM_JOB_NAME", "interactive"}}}) {
    EXPECT_EQ(detect_launch_environment(slurm() + alone).kind,
              LauncherKind::kNone);
  }
  // A batch script that asked for GPUs only.
  EXPECT_EQ(detect_launch_environment({{"SLURM_PROCID", "0"},
                                       {"SLURM_LOCALID", "0"},
                                       {"SLURM_JOB_ID", "1"}})
                .kind,
            LauncherKind::kNone);
}

TEST(SlurmTest, UnderstandsListsOfNodes) {
  const auto host = [](const char* list) {
    try {
      return detect_launch_environment(slurm() +
                                       Environment{{"SLURM_NODELIST", list}})
          .rendezvous.host;
    } catch (const ConfigError&) {
      return std::string("error");
    }
  };
  EXPECT_EQ(host("a"), "a");
  EXPECT_EQ(host("a,b[1-2]"), "a");
  EXPECT_EQ(host("n[1-3]-ib"), "n1-ib");
  EXPECT_EQ(host("r[03-04]n[010-011,9]"), "r03n010");
  EXPECT_EQ(host("n[001]"), "n001");
  for (const char* list : {"", ",a", "n[", "n[]", "n[x]", "n[1", "a b", "n]"}) {
    EXPECT_EQ(host(list), "error") << list;
  }
}

TEST(SlurmTest, UnderstandsTasksPerNode) {
  const auto tasks = [](const char* list, const char* node) {
    try {
      return detect_launch_environment(
                 slurm() + Environment{{"SLURM_TASKS_PER_NODE", list},
                                       {"SLURM_NODEID", node},
                                       {"SLURM_LOCALID", "0"}})
          .local_world_size;
    } catch (const ConfigError&) {
      return -1;
    }
  };
  EXPECT_EQ(tasks("2(x3),1", "0"), 2);
  EXPECT_EQ(tasks("2(x3),1", "3"), 1);
  EXPECT_EQ(tasks("2(x3),1", "4"), -1);
  EXPECT_EQ(tasks("4,3", "1"), 3);
  for (const char* list : {"x", "2(x", "2(x)", "2(x0)", "0", "2,", "8"}) {
    EXPECT_EQ(tasks(list, "2"), -1) << list;
  }
  Environment without = slurm();
  without.erase("SLURM_TASKS_PER_NODE");
  EXPECT_THAT(problem(without), HasSubstr("SLURM_TASKS_PER_NODE is not set"));
  EXPECT_EQ(detect_launch_environment(
                without + Environment{{"SLURM_NTASKS_PER_NODE", "2"}})
                .local_world_size,
            2);
}

TEST(SlurmTest, NamesWhatIsMissingOrContradicts) {
  Environment partial = slurm();
  partial.erase("SLURM_LOCALID");
  EXPECT_THAT(problem(partial), AllOf(HasSubstr("SLURM_LOCALID is not set"),
                                      HasSubstr("SLURM_PROCID=\"5\"")));
  partial = slurm();
  partial.erase("SLURM_NTASKS");
  EXPECT_THAT(problem(partial), HasSubstr("SLURM_NTASKS is not set"));
  EXPECT_THAT(problem(slurm() + Environment{{"SLURM_PROCID", "7"}}),
              HasSubstr("SLURM_PROCID=\"7\""));
  EXPECT_THAT(problem(slurm() + Environment{{"RANK", "4"}}),
              AllOf(HasSubstr("RANK=\"4\""), HasSubstr("SLURM_PROCID")));
  EXPECT_THAT(problem(slurm() + Environment{{"SLURM_JOB_ID", "x"}}),
              HasSubstr("SLURM_JOB_ID=\"x\""));
}

TEST(MpiTest, NeedsARendezvous) {
  EXPECT_THAT(problem(open_mpi()),
              AllOf(HasSubstr("Open MPI"), HasSubstr("--rendezvous")));
  const LaunchEnvironment launch =
      detect_launch_environment(open_mpi(), "host:77");
  EXPECT_EQ(launch.kind, LauncherKind::kOpenMpi);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_EQ(launch.rendezvous.port, 77);
  const LaunchEnvironment exported = detect_launch_environment(
      open_mpi() + Environment{{"MASTER_ADDR", "h"}, {"MASTER_PORT", "8"}});
  EXPECT_EQ(to_text(exported.rendezvous), "h:8");
}

TEST(MpiTest, ReadsEveryImplementation) {
  const Environment mvapich{{"MV2_COMM_WORLD_RANK", "3"},
                            {"MV2_COMM_WORLD_SIZE", "4"},
                            {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                            {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(detect_launch_environment(mvapich, "h:1").kind,
            LauncherKind::kMvapich);
  EXPECT_EQ(detect_launch_environment(mvapich, "h:1").rank, 3);
  EXPECT_EQ(detect_launch_environment(hydra(), "h:1").kind, LauncherKind::kPmi);
  EXPECT_EQ(detect_launch_environment(hydra(), "h:1").rank, 2);
  const Environment cray{{"PMI_RANK", "2"},
                         {"PMI_SIZE", "4"},
                         {"PMI_LOCAL_RANK", "0"},
                         {"PMI_LOCAL_SIZE", "2"}};
  EXPECT_EQ(detect_launch_environment(cray, "h:1").local_world_size, 2);
}

TEST(MpiTest, NamesWhatIsMissingOrContradicts) {
  Environment partial = open_mpi();
  partial.erase("OMPI_COMM_WORLD_LOCAL_SIZE");
  EXPECT_THAT(problem(partial, "h:1"),
              HasSubstr("OMPI_COMM_WORLD_LOCAL_SIZE is not set"));
  EXPECT_THAT(problem(open_mpi() + Environment{{"RANK", "0"}}, "h:1"),
              AllOf(HasSubstr("RANK=\"0\""), HasSubstr("OMPI_COMM_WORLD_RANK"),
                    HasSubstr("1")));
  EXPECT_THAT(problem(open_mpi() + Environment{{"WORLD_SIZE", "2"}}, "h:1"),
              HasSubstr("WORLD_SIZE=\"2\""));
  EXPECT_EQ(problem(open_mpi() + Environment{{"RANK", "1"}}, "h:1"),
            "no error");
}

TEST(MpiTest, ProxiesThatSlurmStartedDoNotCount) {
  EXPECT_EQ(detect_launch_environment(slurm() + hydra(), "h:1").kind,
            LauncherKind::kPmi);
  // srun itself speaks PMI: then the two agree.
  const Environment pmi{{"PMI_RANK", "5"}, {"PMI_SIZE", "7"}};
  EXPECT_EQ(detect_launch_environment(slurm() + pmi).kind,
            LauncherKind::kSlurm);
  EXPECT_THAT(problem(slurm() + Environment{{"PMI_RANK", "4"}}),
              AllOf(HasSubstr("PMI_RANK=\"4\""), HasSubstr("SLURM_PROCID")));
}

TEST(OwnParentTest, ComesFirstAndIgnoresTheOption) {
  const Environment own{{"LONGFORMER_RANK", "0"},
                        {"LONGFORMER_WORLD_SIZE", "2"},
                        {"LONGFORMER_LOCAL_RANK", "0"},
                        {"LONGFORMER_LOCAL_WORLD_SIZE", "2"},
                        {"LONGFORMER_RENDEZVOUS", "127.0.0.1:4711"},
                        {"LONGFORMER_LISTEN_FD", "7"},
                        {"LONGFORMER_JOB_KEY", "abc"},
                        {"LONGFORMER_REPORT_FD", "9"}};
  const LaunchEnvironment launch =
      detect_launch_environment(own + slurm(), "other:1");
  EXPECT_EQ(launch.kind, LauncherKind::kOwn);
  EXPECT_EQ(launch.world_size, 2);
  EXPECT_EQ(to_text(launch.rendezvous), "127.0.0.1:4711");
  EXPECT_EQ(launch.rendezvous.listen_descriptor, 7);
  EXPECT_EQ(launch.rendezvous.key_prefix, "abc");
  EXPECT_EQ(launch.report_descriptor, 9);
  Environment partial = own;
  partial.erase("LONGFORMER_RENDEZVOUS");
  EXPECT_THAT(problem(partial), HasSubstr("LONGFORMER_RENDEZVOUS is not set"));
}

}  // namespace
}  // namespace longformer
