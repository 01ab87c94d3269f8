// SPDX-License-Identifier: MIT
#include "longformer/machine/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto with_text(const std::string& text) {
  return Contains(Field(&Finding::text, HasSubstr(text)));
}

Findings found(const Machine& machine, Precision precision = Precision::kAuto) {
  return diagnose(machine, precision);
}

TEST(DiagnosisTest, GoodMachinesAreGood) {
  for (const Gpu& gpu : {v100(), t4(), a100(), h100()}) {
    EXPECT_THAT(found(good_machine({gpu, gpu})), IsEmpty()) << gpu.name;
  }
  EXPECT_TRUE(would_work(found(cpu_machine())));
}

TEST(DiagnosisTest, ACpuIsEnoughButADriverInVainIsNoted) {
  Machine machine = cpu_machine();
  EXPECT_THAT(found(machine), IsEmpty());
  EXPECT_THAT(diagnosis_text(machine, {}),
              HasSubstr("CUDA: none, this machine has no NVIDIA driver\n"));
  machine.driver = "535.129.03";
  machine.cuda_reason = "this build computes on the CPU only";
  EXPECT_THAT(found(machine), with_text("CUDA: this build computes on the"));
  EXPECT_TRUE(would_work(found(machine)));
}

TEST(DiagnosisTest, EveryProblemIsListedAndAheadOfTheNotes) {
  Machine machine = good_machine({v100(), v100()});
  machine.cuda.driver = 11040;
  machine.resources.open_files = 64;
  machine.folders[0].problem = "Read-only file system";
  machine.links[0][1] = machine.links[1][0] = GpuLink::kHost;
  machine.found = {{Finding::Kind::kProblem, "RANK: set alone", ""}};
  const Findings findings = found(machine, Precision::kBf16);
  EXPECT_FALSE(would_work(findings));
  for (const char* text :
       {"RANK: set alone", "driver: driver 570.86.10 serves CUDA up to 11.4",
        "GPU 1 (Tesla V100-SXM2-16GB, compute capability 7.0) has no bf16",
        "open files: a process may have 64 open", "output_dir: run cannot be",
        "topology: some GPUs reach each other through the host"}) {
    EXPECT_THAT(findings, with_text(text));
  }
  EXPECT_EQ(findings.back().kind, Finding::Kind::kNote);
  EXPECT_THAT(findings, Each(Field(&Finding::text, testing::Not(IsEmpty()))));
}

TEST(DiagnosisTest, SharedMemoryMattersToRanksThatMeetThere) {
  Machine machine = good_machine({v100(), v100(), v100(), v100()});
  machine.resources.shared_memory_bytes = std::uint64_t{64} << 20;
  EXPECT_THAT(found(machine), with_text("64 MiB are free in /dev/shm"));
  EXPECT_TRUE(would_work(found(machine)));
  machine.links[2][3] = GpuLink::kHost;
  EXPECT_FALSE(would_work(found(machine)));
  machine.ranks.use_gpus = false;
  EXPECT_TRUE(would_work(found(machine)));
}

TEST(DiagnosisTest, OpenFilesGrowWithTheRanks) {
  Machine machine = cpu_machine();
  machine.resources.open_files = 300;
  EXPECT_TRUE(would_work(found(machine)));
  machine.ranks.count = 100;
  ASSERT_FALSE(would_work(found(machine)));
  EXPECT_EQ(found(machine)[0].advice, "call ulimit -n 1056");
  machine.resources.open_files_possible = 512;
  EXPECT_THAT(found(machine)[0].advice, HasSubstr("raise the hard limit"));
}

TEST(DiagnosisTest, AFullFolderIsAProblemALittleRoomIsNot) {
  Machine machine = cpu_machine();
  machine.folders[0].free_bytes = std::uint64_t{500} << 20;
  EXPECT_THAT(found(machine), with_text("run has only 500 MiB free"));
  EXPECT_TRUE(would_work(found(machine)));
  machine.folders[0].free_bytes = 1 << 20;
  EXPECT_FALSE(would_work(found(machine)));
}

TEST(DiagnosisTest, AFailedExchangeIsAProblemASlowOneIsNot) {
  Machine machine = good_machine({h100(), h100()});
  machine.exchange->timings.back().seconds = 2;
  EXPECT_THAT(found(machine), with_text("64 MiB between the ranks take more"));
  EXPECT_TRUE(would_work(found(machine)));
  machine.exchange->problem = "rank 1: no route";
  EXPECT_THAT(found(machine), with_text("exchange: rank 1: no route"));
  EXPECT_FALSE(would_work(found(machine)));
}

TEST(DiagnosisTest, KnownVariablesAreExplained) {
  Machine machine = good_machine({h100(), h100()});
  machine.environment = {{"NCCL_P2P_DISABLE", "1"},
                         {"CUDA_LAUNCH_BLOCKING", "0"}};
  const Findings findings = found(machine);
  EXPECT_THAT(findings, with_text("NCCL_P2P_DISABLE=1 sends data"));
  EXPECT_EQ(findings.size(), 1U);
}

TEST(DiagnosisTest, OnlyVariablesThatMatterAreShown) {
  const Environment shown = relevant_variables({{"RANK", "0"},
                                                {"NCCL_DEBUG", "INFO"},
                                                {"GLOO_SOCKET_IFNAME", "eth0"},
                                                {"OMP_NUM_THREADS", "2"},
                                                {"AWS_SECRET", "x"},
                                                {"PATH", "/bin"}});
  EXPECT_EQ(shown.size(), 4U);
  EXPECT_FALSE(shown.contains("AWS_SECRET"));
}

TEST(DiagnosisTest, TheTextHasEverythingAndCommandsNoTerminal) {
  Machine machine = good_machine({v100(), v100()});
  machine.environment = {{"OMP_NUM_THREADS", "\x1b[31m"}};
  const std::string text = diagnosis_text(machine, found(machine));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("CUDA: 12.8, NCCL 2.27.5; driver 570.86.10"),
            HasSubstr("GPU 1: Tesla V100-SXM2-16GB, 16 GiB (16 GiB free), "
                      "compute capability 7.0, 0000:00:1b.0"),
            HasSubstr("Processes: 2 on a GPU each, 4 threads each"),
            HasSubstr("NCCL sums up 64 MiB in 1.000 ms (67.11 GB/s)"),
            HasSubstr("output_dir run: 100 GiB free"),
            HasSubstr("OMP_NUM_THREADS=\\x1b"), HasSubstr("NVLink")));
  EXPECT_TRUE(text.ends_with("train would work here\n"));
}

TEST(DiagnosisTest, TheJsonHasTheSame) {
  const Machine machine = good_machine({v100(), v100()});
  const Json json = diagnosis_json(machine, found(machine, Precision::kBf16));
  EXPECT_EQ(json["gpus"][1]["compute_capability"], "7.0");
  EXPECT_EQ(json["links"][0][1], "NVLink");
  EXPECT_EQ(json["exchange"]["sums"][1]["bytes"], 1 << 26);
  EXPECT_EQ(json["train_would_work"], false);
  EXPECT_EQ(json["findings"][0]["kind"], "problem");
  EXPECT_TRUE(diagnosis_json(cpu_machine(), {})["exchange"].is_null());
}

}  // namespace
}  // namespace longformer::test
