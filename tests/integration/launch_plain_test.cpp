// SPDX-License-Identifier: MIT
//
// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set by hand, and what somebody
// who gets them wrong is told, soon.
#include <chrono>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PlainJobTest : public JobTest {
 protected:
  static Variables rank(int number, int world = 2) {
    return {{"RANK", std::to_string(number)},
            {"WORLD_SIZE", std::to_string(world)},
            {"MASTER_ADDR", loopback_host()},
            {"MASTER_PORT", "29412"}};
  }

  /// Runs ranks that cannot meet, and expects them to give up in time.
  std::vector<RankRun> run_in_vain(const std::vector<Variables>& ranks,
                                   const std::string& timeout_s) const {
    const auto start = std::chrono::steady_clock::now();
    auto runs =
        run_ranks(ranks, with(command("vain"), {"--start-timeout", timeout_s}));
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(15));
    EXPECT_FALSE(std::filesystem::exists(path("vain")));
    return runs;
  }
};

TEST_F(PlainJobTest, TrainsWhatOwnProcessesTrain) {
  train_reference();
  run_ranks_well({rank(0), rank(1)}, command("plain"));
  expect_reference(path("plain/model"));
}

// PyTorch issues 15638, 52848 and 81704: half an hour of silence.
TEST_F(PlainJobTest, AMissingRankIsNamedWithThePlaceAndTheNumbers) {
  const auto runs = run_in_vain({rank(0, 3), rank(1, 3)}, "6");
  for (const RankRun& run : runs) {
    EXPECT_EQ(run.exit_code, 6);
    EXPECT_THAT(run.log,
                HasSubstr("rendezvous at " + loopback_host() + ":29412: "));
  }
  EXPECT_THAT(runs[0].log,
              AllOf(HasSubstr("2 of 3 ranks joined, waiting for rank 2"),
                    HasSubstr("2 of 3 ranks joined within 6 s, rank 2 did "
                              "not")));
}

TEST_F(PlainJobTest, WhoFindsNobodyListeningSaysSoWhileItWaits) {
  const RankRun run = run_in_vain({rank(1)}, "6").front();
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.log, AllOf(HasSubstr("rank 1 is waiting for an answer"),
                             HasSubstr("rank 1 found nobody within 6 s"),
                             HasSubstr("rank 0 has to be running there")));
}

TEST_F(PlainJobTest, ANameWithoutAnAddressIsNamed) {
  Variables lost = rank(1);
  lost["MASTER_ADDR"] = "no-such-host.invalid";
  const RankRun run = run_in_vain({lost}, "1").front();
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.log,
              HasSubstr("the name no-such-host.invalid cannot be resolved"));
}

TEST_F(PlainJobTest, TwoProcessesCannotHaveOneRank) {
  const auto runs = run_in_vain({rank(0), rank(0)}, "4");
  EXPECT_THAT(runs[0].log + runs[1].log,
              ::testing::AnyOf(HasSubstr("two processes have the same rank"),
                               HasSubstr("Address already in use")));
  for (const RankRun& run : runs) EXPECT_NE(run.exit_code, 0) << run.log;
}

TEST_F(PlainJobTest, WrongVariablesAreRefusedAtOnce) {
  const auto refused = [&](const char* name, const char* value,
                           const char* words) {
    Variables wrong = rank(0);
    wrong[name] = value;
    const RankRun run = run_in_vain({wrong}, "60").front();
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.log, HasSubstr(words));
  };
  refused("RANK", "2", "RANK=\"2\" contradicts WORLD_SIZE=\"2\"");
  refused("WORLD_SIZE", "", "WORLD_SIZE is not set although RANK=\"0\" is");
  refused("MASTER_PORT", "70000", "MASTER_PORT=\"70000\" is no whole number");
}

}  // namespace
}  // namespace longformer::test
