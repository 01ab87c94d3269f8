// SPDX-License-Identifier: MIT
//
// Several processes train what one process trains.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <future>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../model/golden_case.h"
#include "../train/tiny_model.h"
#include "job_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kEpochs = 10;  ///< Where command() has their number.

class SeveralProcessesTest : public ProgramTest {
 protected:
  SeveralProcessesTest() {
    write_model("tiny", tiny_config());
    write("train.jsonl",
          toy_rows({12, 30, 7, 9, 60, 22, 14, 5, 41, 18, 128}, {"no", "yes"}));
    write("validation.jsonl", toy_rows({20, 33, 8, 50}, {"no", "yes"}, 6));
  }

  /// Ragged batches, dropout, validation after every epoch.
  std::vector<std::string> command(const std::string& output,
                                   int processes) const {
    return {"train",
            "--model",
            path("tiny"),
            "--train-data",
            path("train.jsonl"),
            "--validation-data",
            path("validation.jsonl"),
            "--output-dir",
            path(output),
            "--epochs",
            "4",
            "--batch-size",
            "3",
            "--micro-batch-tokens",
            "100",
            "--dropout",
            "0.1",
            "--learning-rate",
            "1e-3",
            "--ema-decay",
            "0.5",
            "--processes",
            std::to_string(processes)};
  }

  /// Starts a training and waits until a few steps are done.
  std::unique_ptr<BackgroundProgram> start(
      const std::vector<std::string>& arguments,
      const std::filesystem::path& metrics) const {
    auto program = std::make_unique<BackgroundProgram>(
        longformer_binary(), arguments, path("log.txt"));
    EXPECT_TRUE(program->wait_until([&] {
      // The last line may be only half there.
      return std::filesystem::exists(metrics) &&
             std::ranges::count(read_file(metrics), '\n') > 6;
    })) << program->log_text();
    return program;
  }

  /// Up to the rounding of fp32: relative 1e-6 for losses, 1e-5 for norms.
  /// Adam turns rounding into steps where a gradient is nearly 0, so weights
  /// differ by part of the learning rate.
  void expect_same_run(const std::string& one,
                       const std::string& several) const {
    constexpr double kTolerance = 1e-6;
    const auto first = read_json_lines(path(one + "/metrics.jsonl"));
    const auto second = read_json_lines(path(several + "/metrics.jsonl"));
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].contains("validation")) {
        const auto loss = [](const Json& record) {
          return record.at("validation").at("loss").get<double>();
        };
        EXPECT_NEAR(loss(first[i]), loss(second[i]), kTolerance);
        continue;
      }
      const auto expect_near = [&](const char* name, double tolerance) {
        const auto value = first[i].at(name).get<double>();
        EXPECT_NEAR(value, second[i].at(name).get<double>(), tolerance * value)
            << name << " of step " << first[i].at("step");
      };
      expect_near("loss", kTolerance);
      expect_near("grad_norm", 10 * kTolerance);
      for (const char* name : {"step", "documents", "tokens"}) {
        EXPECT_EQ(first[i].at(name), second[i].at(name));
      }
    }
    const auto weights = read_tensors(path(one + "/model/model.safetensors"));
    const auto others =
        read_tensors(path(several + "/model/model.safetensors"));
    for (const auto& [name, tensor] : weights) {
      EXPECT_LE((tensor - others.at(name)).abs().max().item<double>(),
                100 * kTolerance)
          << name;
    }
  }
};

TEST_F(SeveralProcessesTest, TrainWhatOneTrains) {
  run_well(command("one", 1));
  for (const int processes : {2, 4}) {
    const std::string output = "with_" + std::to_string(processes);
    const RunResult result = run_well(command(output, processes));
    expect_same_run("one", output);
    // Only the first is heard.
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("rank 0 of "), HasSubstr("the model is in")));
    EXPECT_EQ(result.standard_error.find("rank 1 of "), std::string::npos);
    EXPECT_EQ(result.standard_output, "");
    EXPECT_THAT(read_file(path(output + "/logs/rank_1.log")),
                HasSubstr("rank 1 of " + std::to_string(processes)));
  }
}

TEST_F(SeveralProcessesTest, ReadTheirDataOnce) {
  const std::string reading = "train.jsonl: read as jsonl";
  const std::string read_for_it = "11 documents, 346 tokens (read by rank 0)";
  run_well(command("cached", 2));
  run_well(with(command("plain", 2), {"--token-cache", "none"}));
  for (const std::string output : {"cached", "plain"}) {
    EXPECT_THAT(read_file(path(output + "/logs/rank_0.log")),
                HasSubstr(reading));
    EXPECT_THAT(read_file(path(output + "/logs/rank_1.log")),
                AllOf(HasSubstr(read_for_it), Not(HasSubstr(reading))));
  }
  expect_same_run("cached", "plain");
  // A pipe cannot be read twice.
  auto piped = with(command("piped", 2), {"--threads", "1"});
  *std::ranges::find(piped, path("train.jsonl")) = path("fifo");
  std::string words;
  for (const std::string& word : piped) words += " '" + word + "'";
  const RunResult result =
      shell("mkfifo fifo; cat train.jsonl > fifo & timeout 60 \"$0\"" + words);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  expect_same_run("cached", "piped");
}

TEST_F(SeveralProcessesTest, StopTogetherAndGoOn) {
  auto long_run = command("stopped", 2);
  long_run[kEpochs] = "400";
  const auto metrics = path("stopped/metrics.jsonl");
  {
    const auto program = start(long_run, metrics);
    program->send(SIGTERM);
    EXPECT_EQ(program->wait(), 143) << program->log_text();
    EXPECT_THAT(program->log_text(), HasSubstr("continue with --resume auto"));
  }
  const auto before = read_json_lines(metrics).size();
  auto rest = with(long_run, {"--resume", "auto"});
  rest[kEpochs] = std::to_string(before);
  run_well(rest);
  EXPECT_GT(read_json_lines(metrics).size(), before);
}

TEST_F(SeveralProcessesTest, KeepOthersFromTheirDirectoryUntilTheyHangUp) {
  auto long_run = command("kept", 2);
  long_run[kEpochs] = "4000";
  const auto program = start(long_run, path("kept/metrics.jsonl"));
  const RunResult second = run(with(long_run, {"--resume", "auto"}));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.standard_error,
              HasSubstr("output_dir: another process trains here"));
  // Nor does it add to the logs of the run that lives.
  EXPECT_EQ(read_file(path("kept/logs/rank_0.log")).find("another process"),
            std::string::npos);
  program->send(SIGHUP);
  EXPECT_EQ(program->wait(), 129) << program->log_text();
  EXPECT_THAT(program->log_text(), HasSubstr("continue with --resume auto"));
  EXPECT_FALSE(std::filesystem::exists(path("kept/run.lock")));
}

TEST_F(SeveralProcessesTest, ReportTheFirstReasonOnce) {
  write("train.jsonl", "{\"input_ids\": \"no list\", \"label\": \"no\"}\n");
  const RunResult result = run(command("failed", 2));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("rank 0: "), HasSubstr("train.jsonl")));
  const std::string& log = result.standard_error;
  EXPECT_EQ(log.find(" E "), log.rfind(" E ")) << log;
  EXPECT_THAT(read_file(path("failed/logs/rank_0.log")),
              HasSubstr("train.jsonl"));
}

TEST_F(SeveralProcessesTest, ARefusedRunLeavesNothing) {
  auto refused = command("refused", 2);
  const RunResult result =
      run(with(refused, {"--validation-data", path("none.jsonl")}));
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("none.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(path("refused")));
}

// vllm PR 34816: workers live on, and hold what they held.
TEST_F(SeveralProcessesTest, NoneOutlivesAParentThatIsKilled) {
  auto long_run = command("orphans", 2);
  long_run[kEpochs] = "4000";
  const auto program = start(long_run, path("orphans/metrics.jsonl"));
  std::vector<pid_t> ranks;
  for (const char* entry : {"LONGFORMER_RANK=0", "LONGFORMER_RANK=1"}) {
    ranks.push_back(process_with(program->id(), entry).value_or(0));
    ASSERT_GT(ranks.back(), 0);
  }
  program->send(SIGKILL);
  program->wait();
  for (const pid_t rank : ranks) {
    const auto is_gone = [&] { return kill(rank, 0) != 0; };
    for (int i = 0; i < 1000 && !is_gone(); ++i) usleep(10'000);
    EXPECT_TRUE(is_gone()) << rank;
  }
}

TEST_F(SeveralProcessesTest, ASecondInterruptEndsThemAtOnce) {
  auto long_run = command("twice", 2);
  long_run[kEpochs] = "4000";
  const auto program = start(long_run, path("twice/metrics.jsonl"));
  program->send(SIGINT);
  program->send(SIGINT);
  EXPECT_EQ(program->wait(), 130) << program->log_text();
}

/// Two processes of a launcher, the second in a folder where the model has
/// other weights under the same name.
TEST_F(SeveralProcessesTest, RefuseToStartFromDifferentWeights) {
  std::filesystem::create_directory(path("elsewhere"));
  write_model("elsewhere/tiny", tiny_config(), 2);
  auto arguments = command("differs", 2);
  *std::ranges::find(arguments, path("tiny")) = "tiny";
  arguments = with(arguments, {"--rendezvous", path("meeting")});
  const auto start = [&](const std::string& rank) {
    RunOptions options;
    options.working_directory =
        rank == "0" ? directory_.path() : directory_ / "elsewhere";
    options.environment = {{"RANK", rank},
                           {"WORLD_SIZE", "2"},
                           {"LOCAL_RANK", rank},
                           {"LOCAL_WORLD_SIZE", "2"}};
    return run_program(longformer_binary(), arguments, options);
  };
  auto second = std::async(std::launch::async, start, "1");
  for (const RunResult& result : {start("0"), second.get()}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("rank 1 has other values in "),
                      HasSubstr("than rank 0")));
  }
}

TEST_F(SeveralProcessesTest, RefuseANumberThatTheLauncherContradicts) {
  RunOptions options;
  options.environment = {{"RANK", "0"},
                         {"WORLD_SIZE", "2"},
                         {"LOCAL_RANK", "0"},
                         {"LOCAL_WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", "29999"}};
  const RunResult result =
      run_program(longformer_binary(), command("failed", 3), options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error,
              HasSubstr("processes: 3 contradicts RANK and WORLD_SIZE"));
}

}  // namespace
}  // namespace longformer::test
