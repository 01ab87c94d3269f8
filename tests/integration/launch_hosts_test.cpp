// SPDX-License-Identifier: MIT
//
// A job on two hosts that share no folder. Two addresses of the loopback
// network stand for them.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TwoHostsTest : public JobTest {
 protected:
  /// The only process of a host.
  static Variables host(int number) {
    return {{"RANK", std::to_string(number)},
            {"WORLD_SIZE", "2"},
            {"LOCAL_RANK", "0"},
            {"LOCAL_WORLD_SIZE", "1"},
            {"MASTER_ADDR", loopback_host(1)},
            {"MASTER_PORT", "29413"},
            {"GLOO_SOCKET_IFNAME", "lo"}};
  }

  /// Host 0 writes into a/, host 1 would into b/.
  void run_hosts_well(const std::vector<std::string>& more) const {
    std::vector<std::unique_ptr<BackgroundProgram>> programs;
    for (const int number : {0, 1}) {
      const std::string output = number == 0 ? "a" : "b";
      programs.push_back(std::make_unique<BackgroundProgram>(
          longformer_binary(), with(command(output), more),
          path(output + ".log"), host(number)));
    }
    for (const auto& program : programs) {
      EXPECT_EQ(program->wait(), 0) << program->log_text();
    }
  }
};

TEST_F(TwoHostsTest, TrainWhatProcessesOfOneHostTrain) {
  train_reference();
  run_hosts_well({});
  expect_reference(path("a/model"));
  // Only the first host writes.
  EXPECT_FALSE(std::filesystem::exists(path("b/model")));
  EXPECT_FALSE(std::filesystem::exists(path("b/checkpoints")));
}

TEST_F(TwoHostsTest, ContinueFromACheckpointThatOneOfThemLacksOrHasDamaged) {
  train_reference();
  run_hosts_well({"--max-steps", "5"});
  std::filesystem::create_directories(path("b/checkpoints/step-000005"));
  write("b/checkpoints/step-000005/manifest.json", "{");
  run_hosts_well({"--resume", "auto"});
  // Five steps and five more are not ten, since the rate depends on the
  // number; what continues on one host is what has to come out.
  run_well(with(command("one"), {"--processes", "2", "--max-steps", "5"}));
  run_well(with(command("one"), {"--processes", "2", "--resume", "auto"}));
  for (const char* file : {"/model/model.safetensors", "/validation.json"}) {
    EXPECT_EQ(read_file(path("a") + file), read_file(path("one") + file));
  }
  EXPECT_EQ(read_file(path("b/checkpoints/step-000005/manifest.json")),
            read_file(path("a/checkpoints/step-000005/manifest.json")));
}

TEST_F(TwoHostsTest, InterfacesThatAreNotThereAreRefusedByName) {
  const auto refused = [&](const char* name, const char* value,
                           const std::string& words) {
    Variables wrong = host(0);
    wrong[name] = value;
    const RankRun run = run_ranks({wrong}, command("refused")).front();
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.log, AllOf(HasSubstr(words), HasSubstr("lo")));
  };
  refused("GLOO_SOCKET_IFNAME", "nic7", "GLOO_SOCKET_IFNAME: \"nic7\" is no");
  const RankRun run =
      run_ranks({host(0)},
                with(command("refused"), {"--network-interface", "nic8"}))
          .front();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.log, HasSubstr("network_interface: \"nic8\" is no"));
}

}  // namespace
}  // namespace longformer::test
