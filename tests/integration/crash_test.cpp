// SPDX-License-Identifier: MIT
//
// Whatever kills a run, and whatever that leaves behind, the next one finds a
// complete checkpoint and goes on with identical results.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/train/checkpoint_manifest.h"

#include "../train/tiny_model.h"
#include "background_program.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CrashTest : public ProgramTest {
 protected:
  CrashTest() {
    write_model("tiny", tiny_config());
    write("train.jsonl", toy_rows({9, 30, 5, 77, 128, 14, 3, 40, 22, 61, 8, 19},
                                  {"no", "yes"}));
  }

  std::vector<std::string> arguments(const std::string& output,
                                     std::int64_t checkpoint_every) const {
    return {"train",
            "--model",
            path("tiny"),
            "--train-data",
            path("train.jsonl"),
            "--output-dir",
            path(output),
            "--max-steps",
            "5000",
            "--batch-size",
            "3",
            "--dropout",
            "0.1",
            "--learning-rate",
            "1e-3",
            "--threads",
            "1",
            "--resume",
            "auto",
            "--checkpoint-every",
            std::to_string(checkpoint_every)};
  }

  /// Steps in metrics.jsonl, a torn last line left out.
  std::vector<Json> history(const std::string& output) const {
    std::vector<Json> records;
    const std::string file = path(output + "/metrics.jsonl");
    if (!std::filesystem::exists(file)) return records;
    std::string text = read_file(file);
    text.resize(text.rfind('\n') + 1);
    for (const Json& record : parse_json_lines(text)) {
      records.push_back(without_measurements(record));
    }
    return records;
  }

  /// Names of the checkpoints, newest first.
  std::vector<std::string> checkpoints(const std::string& output) const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(path(output + "/checkpoints"))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("step-") && name.size() == 11) names.push_back(name);
    }
    std::sort(names.rbegin(), names.rend());
    return names;
  }

  /// Runs until `steps` more steps were logged, then ends it by `signal`.
  /// Returns what it said.
  std::string run_for(const std::string& output, std::size_t steps,
                      int signal_number) {
    BackgroundProgram program(longformer_binary(), arguments(output, 1),
                              path("log.txt"));
    const std::size_t wanted = history(output).size() + steps;
    EXPECT_TRUE(program.wait_until([&] {
      return history(output).size() >= wanted;
    })) << program.log_text();
    program.send(signal_number);
    const int result = program.wait();
    EXPECT_EQ(result, signal_number == SIGKILL ? -SIGKILL : 128 + signal_number)
        << program.log_text();
    return program.log_text();
  }
};

std::int64_t resumed_step(const std::string& log) {
  const std::string text = " at step ";
  const std::size_t line = log.find("resumed from ");
  if (line == std::string::npos) return -1;
  return std::stoll(log.substr(log.find(text, line) + text.size()));
}

// Lightning issue 688: a kill while saving left a broken newest checkpoint.
TEST_F(CrashTest, TwentyKillsWhileSavingChangeNothing) {
  std::mt19937 random(20);
  std::int64_t last_step = 0;
  for (int kill = 0; kill < 20; ++kill) {
    BackgroundProgram program(longformer_binary(), arguments("run", 1),
                              path("log.txt"));
    // A checkpoint is saved after every step, so it is saving nearly always.
    ASSERT_TRUE(program.wait_until([&] {
      return program.log_text().find("training: ") != std::string::npos;
    })) << program.log_text();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
    program.send(SIGKILL);
    ASSERT_EQ(program.wait(), -SIGKILL) << program.log_text();
    const std::int64_t step = resumed_step(program.log_text());
    EXPECT_GE(step, last_step == 0 ? -1 : last_step) << program.log_text();
    EXPECT_THAT(program.log_text(), Not(HasSubstr(" E ")));
    last_step = std::max(last_step, step);
  }
  const std::string log = run_for("run", 3, SIGTERM);
  EXPECT_GE(resumed_step(log), last_step);
  EXPECT_GT(last_step, 0) << "no kill came late enough to have a checkpoint";
  for (const auto& entry :
       std::filesystem::directory_iterator(path("run/checkpoints"))) {
    EXPECT_FALSE(problem_of_checkpoint(entry.path().string()))
        << entry.path() << " is a leftover";
  }
  // The same steps without any kill.
  const std::vector<Json> killed = history("run");
  BackgroundProgram whole(longformer_binary(), arguments("whole", 100000),
                          path("log.txt"));
  ASSERT_TRUE(whole.wait_until(
      [&] { return history("whole").size() >= killed.size(); }));
  whole.send(SIGKILL);
  whole.wait();
  std::vector<Json> expected = history("whole");
  expected.resize(killed.size());
  EXPECT_EQ(killed, expected);
}

TEST_F(CrashTest, ABrokenNewestCheckpointIsNamedAndTheOneBeforeItUsed) {
  run_for("run", 4, SIGTERM);
  const auto newest = [&] {
    return path("run/checkpoints/" + checkpoints("run").at(0));
  };
  const auto expect_older = [&](const std::string& broken) {
    const std::vector<std::string> names = checkpoints("run");
    const std::string log = run_for("run", 3, SIGTERM);
    EXPECT_THAT(log, HasSubstr(broken));
    EXPECT_EQ(resumed_step(log), std::stoll(names.at(1).substr(5))) << log;
  };
  {
    const std::string broken = newest();
    const std::string weights = broken + "/model/model.safetensors";
    std::filesystem::resize_file(weights,
                                 std::filesystem::file_size(weights) - 1);
    expect_older(broken);
  }
  {
    const std::string broken = newest();
    std::filesystem::remove(broken + "/manifest.json");
    expect_older(broken);
  }
  {
    const std::string broken = newest();
    std::fstream moments(broken + "/optimizer.safetensors",
                         std::ios::in | std::ios::out | std::ios::binary);
    moments.seekp(-3, std::ios::end);
    moments.put('\x5a');
    moments.close();
    expect_older(broken);
  }
  {
    const std::string broken = newest();
    std::filesystem::remove_all(broken);
    std::filesystem::create_directory(broken);
    expect_older(broken);
  }
}

TEST_F(CrashTest, LeftoversOfAKilledRunAreCleanedUp) {
  run_for("run", 3, SIGTERM);
  // What a save that was killed leaves, made by killing one.
  std::size_t leftovers = 0;
  for (int attempt = 0; attempt < 30 && leftovers == 0; ++attempt) {
    run_for("run", 1, SIGKILL);
    for (const auto& entry :
         std::filesystem::directory_iterator(path("run/checkpoints"))) {
      const std::string name = entry.path().filename().string();
      if (!(name.starts_with("step-") && name.size() == 11)) ++leftovers;
    }
  }
  run_for("run", 2, SIGTERM);
  for (const auto& entry :
       std::filesystem::directory_iterator(path("run/checkpoints"))) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.starts_with("step-") && name.size() == 11) << name;
  }
}

TEST_F(CrashTest, DamagedCheckpointsAloneAreNeverReplacedByANewRun) {
  run_for("run", 2, SIGTERM);
  for (const std::string& name : checkpoints("run")) {
    std::filesystem::remove(path("run/checkpoints/" + name + "/manifest.json"));
  }
  const auto before = history("run");
  const RunResult refused = run(arguments("run", 100000));
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.standard_error,
              AllOf(HasSubstr("manifest.json"), HasSubstr("damaged")));
  EXPECT_EQ(history("run"), before);
  // Without them it starts again, as it was advised.
  std::filesystem::remove_all(path("run/checkpoints"));
  BackgroundProgram program(longformer_binary(), arguments("run", 100000),
                            path("log.txt"));
  ASSERT_TRUE(program.wait_until([&] {
    return program.log_text().find(" training: ") != std::string::npos;
  }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 143);
  EXPECT_EQ(resumed_step(program.log_text()), -1);
}

TEST_F(CrashTest, ASecondSignalEndsTheProgramAtOnce) {
  BackgroundProgram program(longformer_binary(), arguments("run", 100000),
                            path("log.txt"));
  ASSERT_TRUE(program.wait_until([&] { return history("run").size() >= 2; }));
  program.send(SIGINT);
  program.send(SIGINT);
  const int result = program.wait();
  // The second may come after the first was obeyed.
  EXPECT_TRUE(result == -SIGINT || result == 130) << result;
}

}  // namespace
}  // namespace longformer::test
