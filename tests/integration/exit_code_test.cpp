// SPDX-License-Identifier: MIT
//
// What went wrong decides the exit code, so that scripts and schedulers can
// tell who has to act (the table of base/error.h).
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/train/saved_tensors.h"

#include "../train/tiny_model.h"
#include "background_program.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExitCodeTest : public ProgramTest {
 protected:
  ExitCodeTest() {
    write_model("tiny", no_yes_config());
    write("train.jsonl", toy_rows({9, 30, 5, 77, 12, 8}, {"no", "yes"}));
  }

  /// A training that works, changed by `more`; a flag in it replaces ours.
  std::vector<std::string> train(
      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train"};
    const std::vector<std::string> defaults{
        "--model",      "tiny", "--train-data", "train.jsonl",
        "--output-dir", "run",  "--max-steps",  "3",
        "--threads",    "1"};
    for (std::size_t i = 0; i < defaults.size(); i += 2) {
      if (std::find(more.begin(), more.end(), defaults[i]) != more.end()) {
        continue;
      }
      arguments.push_back(defaults[i]);
      arguments.push_back(defaults[i + 1]);
    }
    return with(arguments, more);
  }
  std::vector<std::string> predict(
      const std::vector<std::string>& more = {}) const {
    return with({"predict", "--model", "tiny", "--data", "train.jsonl"}, more);
  }

  void expect(int code, const std::vector<std::string>& arguments,
              const std::string& words) const {
    const RunResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code)
        << ::testing::PrintToString(arguments) << result.standard_error;
    EXPECT_THAT(result.standard_error, HasSubstr(words))
        << ::testing::PrintToString(arguments);
    // One line says it, and nothing but it.
    const std::size_t error = result.standard_error.find(" E ");
    ASSERT_NE(error, std::string::npos) << result.standard_error;
    EXPECT_EQ(result.standard_error.find(" E ", error + 3), std::string::npos)
        << result.standard_error;
  }

  /// Runs the program behind a line of shell that limits it.
  RunResult run_in_shell(const std::string& limits,
                         const std::vector<std::string>& arguments) const {
    RunOptions options;
    options.working_directory = directory_.path();
    return run_program("bash",
                       with({"-c", limits + " && exec \"$0\" \"$@\"",
                             longformer_binary().string()},
                            arguments),
                       options);
  }
};

TEST_F(ExitCodeTest, OptionsAndConfigurationAreTwo) {
  expect(2, {"trian"}, "train");
  expect(2, train({"--learning-rat", "1"}), "--learning-rate");
  expect(2, train({"--batch-size", "ten"}), "--batch-size");
  expect(2, train({"--batch-size"}), "--batch-size: needs a value");
  expect(2, {"train", "--train-data", "train.jsonl", "--output-dir", "run"},
         "model");
  expect(2, train({"--architecture", "tiny/config.json"}), "architecture");
  expect(2, train({"--attention-window", "15"}), "attention_window");
  expect(2, train({"--max-length", "129"}), "128");
  expect(2, train({"--best-metric", "f1_makro"}), "f1_macro");
  expect(2, train({"--devices", "0"}), "devices");
  expect(2, train({"--early-stopping-patience", "2"}), "validation_data");
  expect(2, train({"--class-weights", "1,2,3"}), "class_weights");
  expect(2, {"predict", "--model", "tiny"}, "data");
  expect(2, {"tokenizer", "train"}, "data");
  expect(2, {"tokenizer", "trian"}, "tokenizer train");
  expect(2, {"inspect"}, "path");
}

TEST_F(ExitCodeTest, NoCommandShowsTheHelp) {
  const RunResult result = run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_output, HasSubstr("usage: longformer"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"},
        {"help"},
        {"--version"},
        {"train", "--help"},
        {"predict", "-h"},
        {"tokenizer", "--help"},
        {"tokenizer", "train", "--help"}}) {
    EXPECT_EQ(run(arguments).exit_code, 0);
  }
}

TEST_F(ExitCodeTest, UnusableDataIsThree) {
  expect(3, {"evaluate", "--model", "tiny", "--data", "nowhere.jsonl"},
         "nowhere.jsonl");
  write("empty.jsonl", "");
  expect(3, {"evaluate", "--model", "tiny", "--data", "empty.jsonl"}, "empty");
  write("bad.jsonl", "{\"input_ids\": [0, 99, 2], \"label\": \"no\"}\n");
  expect(3, {"evaluate", "--model", "tiny", "--data", "bad.jsonl"},
         "bad.jsonl:1");
  write("text.jsonl", "{\"text\": \"a\", \"label\": \"no\"}\n");
  expect(3, {"predict", "--model", "tiny", "--data", "text.jsonl"},
         "tokenizer");
}

TEST_F(ExitCodeTest, AnUnusableModelIsFour) {
  expect(4, {"predict", "--model", "nowhere", "--data", "train.jsonl"},
         "nowhere");
  std::string weights = read_file(path("tiny/model.safetensors"));
  weights.resize(weights.size() / 2);
  write("tiny/model.safetensors", weights);
  expect(4, predict(), "model.safetensors");
  write("tiny/config.json", "{");
  expect(4, predict(), "config.json");
}

TEST_F(ExitCodeTest, AnUnusableCheckpointIsFour) {
  expect(4, train({"--resume", "nowhere"}), "nowhere");
}

TEST_F(ExitCodeTest, TooLittleMemoryIsFiveWithAdvice) {
  ModelConfig config = tiny_config();
  config.max_position_embeddings = 60002;
  config.hidden_size = 256;
  write_model("wide", config);
  write("long.jsonl",
        toy_rows(std::vector<std::int64_t>(40, 60000), {"no", "yes"}));
  const RunResult result =
      run_in_shell("ulimit -v 1500000",
                   {"train", "--model", "wide", "--train-data", "long.jsonl",
                    "--output-dir", "run", "--max-steps", "1", "--threads", "1",
                    "--micro-batch-tokens", "10000000"});
  EXPECT_EQ(result.exit_code, 5) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr("micro_batch_tokens"));
}

TEST_F(ExitCodeTest, AnUnwritableOutputIsSeven) {
  write("file", "x");
  expect(7, train({"--output-dir", "file/run"}), "file/run");
  expect(7, predict({"--output", "file/answers.jsonl"}), "file/answers.jsonl");
  expect(7,
         {"evaluate", "--model", "tiny", "--data", "train.jsonl", "--output",
          "nowhere/metrics.json"},
         "nowhere");
}

TEST_F(ExitCodeTest, AFullStandardOutputIsSeven) {
  const RunResult result =
      run_in_shell("exec >/dev/full", predict({"--output", "-"}));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.standard_error, HasSubstr("standard output"));
  const RunResult metrics = run_in_shell(
      "exec >/dev/full", {"evaluate", "--model", "tiny", "--data",
                          "train.jsonl", "--label-column", "label"});
  EXPECT_NE(metrics.exit_code, 0);
}

TEST_F(ExitCodeTest, ADivergedRunIsOneWithAdviceThatCanBeFollowed) {
  const auto classifier = tiny_classifier(tiny_config());
  {
    const at::NoGradGuard no_gradients;
    for (const NamedParameter& p : named_parameters(*classifier)) {
      if (is_head_parameter(p.name)) p.tensor.fill_(3e38);
    }
  }
  std::filesystem::create_directories(path("wild"));
  save_classifier(*classifier, path("wild"));
  const RunResult first = run(train({"--model", "wild"}));
  EXPECT_EQ(first.exit_code, 1) << first.standard_error;
  EXPECT_THAT(first.standard_error,
              AllOf(HasSubstr("has diverged"), HasSubstr("another output_dir"),
                    ::testing::Not(HasSubstr("--resume"))));
}

TEST_F(ExitCodeTest, AFullDiskIsSevenAndTheEarlierCheckpointServes) {
  // No file may grow beyond 64 KiB: the log of metrics still fits, the weights
  // do not. Ignoring the signal makes write() fail as on a full disk.
  ASSERT_EQ(run(train({"--checkpoint-every", "1"})).exit_code, 0);
  const std::string model = read_file(path("run/model/model.safetensors"));
  ASSERT_GT(model.size(), 64U * 1024);
  const RunResult full =
      run_in_shell("trap '' XFSZ && ulimit -f 64",
                   train({"--max-steps", "6", "--resume", "auto",
                          "--checkpoint-every", "1"}));
  EXPECT_EQ(full.exit_code, 7) << full.standard_error;
  EXPECT_EQ(read_file(path("run/model/model.safetensors")), model);
  const RunResult again = run(train({"--max-steps", "6", "--resume", "auto"}));
  EXPECT_EQ(again.exit_code, 0) << again.standard_error;
  EXPECT_THAT(again.standard_error, HasSubstr("step-000003 at step 3"));
}

TEST_F(ExitCodeTest, SignalsAreTheirNumberAnd128AfterACheckpoint) {
  for (const auto& [signal_number, code] :
       std::vector<std::pair<int, int>>{{SIGINT, 130}, {SIGTERM, 143}}) {
    const std::string output = path("run" + std::to_string(code));
    BackgroundProgram program(
        longformer_binary(),
        {"train", "--model", path("tiny"), "--train-data", path("train.jsonl"),
         "--output-dir", output, "--max-steps", "100000", "--checkpoint-every",
         "100000", "--threads", "1"},
        path("log.txt"));
    ASSERT_TRUE(program.wait_until([&] {
      return program.log_text().find("training: ") != std::string::npos;
    })) << program.log_text();
    program.send(signal_number);
    EXPECT_EQ(program.wait(), code);
    EXPECT_THAT(program.log_text(), HasSubstr("--resume auto"));
    EXPECT_FALSE(std::filesystem::is_empty(output + "/checkpoints"));
  }
}

}  // namespace
}  // namespace longformer::test
