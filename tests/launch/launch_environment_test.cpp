// SPDX-License-Identifier: MIT
#include "longformer/launch/launch_environment.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "launch_problem.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Environment kPlain{{"RANK", "1"},
                         {"WORLD_SIZE", "4"},
                         {"MASTER_ADDR", "10.0.0.1"},
                         {"MASTER_PORT", "29500"}};

Environment with(Environment environment, const std::string& name,
                 const std::string& value) {
  environment[name] = value;
  return environment;
}

TEST(LaunchEnvironmentTest, WithoutVariablesThereIsNoLauncher) {
  const LaunchEnvironment launch =
      detect_launch_environment({{"HOME", "/"}, {"OMP_NUM_THREADS", "3"}});
  EXPECT_EQ(launch.kind, LauncherKind::kNone);
  EXPECT_EQ(launch.rank, 0);
  EXPECT_EQ(launch.world_size, 1);
  EXPECT_EQ(launch.local_world_size, 1);
  EXPECT_EQ(launch.rendezvous, Rendezvous{});
}

TEST(LaunchEnvironmentTest, ReadsPlainVariables) {
  const LaunchEnvironment launch = detect_launch_environment(
      with(with(kPlain, "LOCAL_RANK", "1"), "LOCAL_WORLD_SIZE", "2"));
  EXPECT_EQ(launch.kind, LauncherKind::kPlain);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.world_size, 4);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_TRUE(launch.is_local_known);
  EXPECT_EQ(launch.rendezvous.kind, Rendezvous::Kind::kAddress);
  EXPECT_EQ(launch.rendezvous.host, "10.0.0.1");
  EXPECT_EQ(launch.rendezvous.port, 29500);
}

TEST(LaunchEnvironmentTest, GuessesTheLocalNumbersFromTheAddress) {
  const LaunchEnvironment apart = detect_launch_environment(kPlain);
  EXPECT_EQ(apart.local_rank, 0);
  EXPECT_EQ(apart.local_world_size, 1);
  EXPECT_FALSE(apart.is_local_known);
  for (const char* host : {"localhost", "127.0.0.2", "::1"}) {
    const LaunchEnvironment together =
        detect_launch_environment(with(kPlain, "MASTER_ADDR", host));
    EXPECT_EQ(together.local_rank, 1) << host;
    EXPECT_EQ(together.local_world_size, 4) << host;
    EXPECT_FALSE(together.is_local_known) << host;
  }
}

TEST(LaunchEnvironmentTest, AJobOfOneNeedsNoRendezvous) {
  const LaunchEnvironment launch =
      detect_launch_environment({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  EXPECT_EQ(launch.kind, LauncherKind::kPlain);
  EXPECT_TRUE(launch.is_local_known);
  EXPECT_EQ(launch.rendezvous.kind, Rendezvous::Kind::kNone);
}

TEST(LaunchEnvironmentTest, NamesMissingVariables) {
  Environment partial = kPlain;
  partial.erase("WORLD_SIZE");
  EXPECT_THAT(problem(partial), AllOf(HasSubstr("WORLD_SIZE is not set"),
                                      HasSubstr("RANK=\"1\"")));
  EXPECT_THAT(problem(with(kPlain, "MASTER_PORT", "")),
              AllOf(HasSubstr("MASTER_PORT is not set"),
                    HasSubstr("MASTER_ADDR=\"10.0.0.1\"")));
  EXPECT_THAT(problem({{"MASTER_ADDR", "10.0.0.1"}}),
              HasSubstr("RANK, WORLD_SIZE is not set"));
  EXPECT_THAT(problem({{"LOCAL_RANK", "0"}}),
              HasSubstr("RANK, WORLD_SIZE is not set"));
  EXPECT_THAT(problem(with(kPlain, "LOCAL_RANK", "0")),
              HasSubstr("LOCAL_WORLD_SIZE is not set"));
  EXPECT_THAT(problem({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
              AllOf(HasSubstr("nowhere to meet"), HasSubstr("--rendezvous"),
                    HasSubstr("MASTER_ADDR")));
}

TEST(LaunchEnvironmentTest, RefusesWhatIsNoNumberInRange) {
  for (const char* value :
       {"one", "1.0", "0x1", " 1", "1 ", "-1", "+1", "99999999999999999999"}) {
    EXPECT_THAT(problem(with(kPlain, "RANK", value)),
                AllOf(HasSubstr(std::string("RANK=\"") + value + "\""),
                      HasSubstr("whole number")))
        << value;
  }
  EXPECT_THAT(problem(with(kPlain, "WORLD_SIZE", "0")),
              HasSubstr("WORLD_SIZE=\"0\""));
  for (const char* port : {"0", "65536", "-1", "http"}) {
    EXPECT_THAT(problem(with(kPlain, "MASTER_PORT", port)),
                HasSubstr("MASTER_PORT=\""))
        << port;
  }
}

TEST(LaunchEnvironmentTest, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(problem(with(kPlain, "RANK", "4")),
              AllOf(HasSubstr("RANK=\"4\""), HasSubstr("WORLD_SIZE=\"4\"")));
  Environment local = with(kPlain, "LOCAL_RANK", "2");
  local["LOCAL_WORLD_SIZE"] = "2";
  EXPECT_THAT(problem(local), AllOf(HasSubstr("LOCAL_RANK=\"2\""),
                                    HasSubstr("LOCAL_WORLD_SIZE=\"2\"")));
  local["LOCAL_WORLD_SIZE"] = "5";
  EXPECT_THAT(problem(local), AllOf(HasSubstr("LOCAL_WORLD_SIZE=\"5\""),
                                    HasSubstr("WORLD_SIZE=\"4\"")));
  // On one host the two ranks are the same.
  local["LOCAL_WORLD_SIZE"] = "4";
  EXPECT_THAT(problem(local),
              AllOf(HasSubstr("LOCAL_RANK=\"2\""), HasSubstr("RANK=\"1\"")));
}

TEST(LaunchEnvironmentTest, TheOptionReplacesTheAddress) {
  const LaunchEnvironment address =
      detect_launch_environment(kPlain, "[fe80::1]:1234");
  EXPECT_EQ(address.rendezvous.host, "fe80::1");
  EXPECT_EQ(address.rendezvous.port, 1234);
  EXPECT_EQ(to_text(address.rendezvous), "[fe80::1]:1234");
  const LaunchEnvironment file =
      detect_launch_environment(kPlain, "/shared/job-1");
  EXPECT_EQ(file.rendezvous.kind, Rendezvous::Kind::kSharedFile);
  EXPECT_EQ(file.rendezvous.path, "/shared/job-1");
  EXPECT_EQ(parse_rendezvous("file:job", "x").path, "job");
}

TEST(LaunchEnvironmentTest, RefusesAnOptionThatIsNoRendezvous) {
  for (const char* text :
       {"host", "host:", ":1234", "host:0", "host:65536", "host:x",
        "fe80::1:1234", "a b:1", "file:", "[]:1"}) {
    EXPECT_THAT(problem(kPlain, text),
                AllOf(HasSubstr("rendezvous:"), HasSubstr("HOST:PORT")))
        << text;
  }
}

TEST(LaunchEnvironmentTest, RefusesAnOptionWithoutEffect) {
  EXPECT_THAT(problem({}, "host:1234"), HasSubstr("without a launcher"));
}

TEST(LaunchEnvironmentTest, LongAndOddValuesAreShownSafely) {
  EXPECT_LT(problem(with(kPlain, "RANK", std::string(100000, '7'))).size(),
            1000U);
  EXPECT_THAT(problem(with(kPlain, "RANK", "\xff\n")), HasSubstr("\\n"));
}

TEST(LaunchEnvironmentTest, ReadsTheEnvironmentOfTheProcess) {
  ASSERT_EQ(setenv("LONGFORMER_ODD_VALUE", "a=b", 1), 0);
  const Environment environment = current_environment();
  EXPECT_EQ(variable(environment, "LONGFORMER_ODD_VALUE"), "a=b");
  EXPECT_EQ(variable(environment, "LONGFORMER_NO_VALUE"), "");
  EXPECT_FALSE(variable(environment, "PATH").empty());
}

TEST(LaunchEnvironmentTest, DescribesThePlaceInTheJob) {
  Environment local = with(kPlain, "LOCAL_RANK", "0");
  local["LOCAL_WORLD_SIZE"] = "1";
  EXPECT_EQ(describe(detect_launch_environment(local)),
            "rank 1 of 4 (rank 0 of 1 on this host), started by RANK and "
            "WORLD_SIZE, meeting at 10.0.0.1:29500");
  EXPECT_EQ(describe({}), "rank 0 of 1");
}

}  // namespace
}  // namespace longformer
