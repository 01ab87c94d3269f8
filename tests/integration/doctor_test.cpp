// SPDX-License-Identifier: MIT
//
// `longformer doctor` on a machine of which nothing is known: with --devices
// cpu where a GPU would change the answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DoctorTest : public ProgramTest {
 protected:
  /// Runs it on the CPU and reads what it prints as JSON.
  Json examine(const std::vector<std::string>& arguments, int exit_code = 0) {
    const RunResult result =
        run(with({"doctor", "--json", "--devices", "cpu"}, arguments));
    EXPECT_EQ(result.exit_code, exit_code) << result.standard_error;
    return parse_strict_json(result.standard_output);
  }

  static std::string problems(const Json& report) {
    std::string text;
    for (const Json& finding : report["findings"]) {
      if (finding["kind"] != "problem") continue;
      text += finding["text"].get<std::string>() + "\n";
    }
    return text;
  }
};

TEST_F(DoctorTest, SaysThatTrainingWorksHere) {
  const RunResult result = run({"doctor", "--devices", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(
      result.standard_output,
      AllOf(HasSubstr("LibTorch "), HasSubstr("Processes: 1 on the CPU"),
            HasSubstr("open files"), HasSubstr("output_dir .: ")));
  EXPECT_TRUE(result.standard_output.ends_with("train would work here\n"));
}

TEST_F(DoctorTest, MeasuresTheExchangeBetweenTheProcessesOfATraining) {
  const Json report = examine({"--processes", "3"});
  EXPECT_EQ(report["processes"]["count"], 3);
  const Json& exchange = report["exchange"];
  EXPECT_EQ(exchange["backend"], "Gloo");
  ASSERT_EQ(exchange["sums"].size(), 3U) << exchange;
  EXPECT_EQ(exchange["sums"][0]["bytes"], 4);
  EXPECT_EQ(exchange["sums"][2]["bytes"], 64 << 20);
  EXPECT_GT(exchange["sums"][2]["bytes_per_second"], 0);
  EXPECT_EQ(report["train_would_work"], true);
}

TEST_F(DoctorTest, JoinsTheProcessesOfALauncher) {
  const std::string launch =
      "export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 "
      "MASTER_PORT=$((20000 + $$ % 10000));"
      "doctor=\"$0 doctor --json --devices cpu\";"
      "RANK=1 LOCAL_RANK=1 $doctor & RANK=0 LOCAL_RANK=0 $doctor; "
      "status=$?; wait $! && exit $status";
  const RunResult result = shell(launch);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  // Rank 0 speaks for all.
  const Json report = parse_strict_json(result.standard_output);
  EXPECT_EQ(report["processes"]["count"], 2);
  EXPECT_EQ(report["exchange"]["sums"].size(), 3U);
  EXPECT_EQ(report["environment"]["WORLD_SIZE"], "2");
}

TEST_F(DoctorTest, ListsEveryReasonWhyTrainingWouldFail) {
  write("file", "");
  const Json report =
      examine({"--precision", "bf16", "--output-dir", "file/run"}, 2);
  EXPECT_THAT(problems(report),
              AllOf(HasSubstr("fp32 on the CPU, got bf16"),
                    HasSubstr("output_dir: file/run cannot be written"),
                    HasSubstr("token_cache: file/run/token_cache cannot")));
  EXPECT_EQ(report["train_would_work"], false);
}

TEST_F(DoctorTest, NamesVariablesThatContradictEachOther) {
  const RunResult result = shell("RANK=5 WORLD_SIZE=2 $0 doctor");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_output,
              AllOf(HasSubstr("problem: "), HasSubstr("RANK"),
                    HasSubstr("train would not work here")));
}

TEST_F(DoctorTest, SaysWhatAProcessOfTheExchangeDiedOf) {
  // Enough to start with, but not for 64 MiB besides.
  const RunResult result =
      shell("ulimit -d 150000; $0 doctor --devices cpu --processes 2 --json");
  EXPECT_EQ(result.exit_code, 2) << result.standard_output;
  EXPECT_THAT(result.standard_output, HasSubstr("exchange: rank "));
}

TEST_F(DoctorTest, TakesTheOptionsOfATraining) {
  write("c.json",
        "{\"model\": \"m\", \"train_data\": \"t.csv\", \"processes\": "
        "2, \"output_dir\": \"out\"}");
  const Json report = examine({"--config", "c.json"});
  EXPECT_EQ(report["processes"]["count"], 2);
  EXPECT_EQ(report["folders"][0]["path"], "out");
  write("c.json", "{\"learning_rat\": 1}");
  const RunResult refused = run({"doctor", "--config", "c.json"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.standard_error, HasSubstr("learning_rate"));
}

TEST_F(DoctorTest, AGpuThatIsNotThereIsRefusedByAllCommandsWithTheReason) {
  const char* const reason = "asks for GPUs, but this ";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{
           {"train", "--model", "m", "--train-data", "t.csv", "--output-dir",
            "o"},
           {"predict", "--model", "m", "--data", "t.csv"},
           {"evaluate", "--model", "m", "--data", "t.csv"}}) {
    const RunResult result = run(with(command, {"--devices", "0"}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.standard_error, HasSubstr(reason));
  }
  const RunResult doctor = run({"doctor", "--devices", "0"});
  EXPECT_EQ(doctor.exit_code, 2);
  EXPECT_THAT(doctor.standard_output, HasSubstr(reason));
}

}  // namespace
}  // namespace longformer::test
