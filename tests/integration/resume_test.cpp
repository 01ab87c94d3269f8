// SPDX-License-Identifier: MIT
//
// A run that was stopped and resumed is the run that was not, bit for bit:
// every loss, the moments of the optimizer, the exported weights.
#include <csignal>
#include <filesystem>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/data/sampler.h"
#include "longformer/train/training_run.h"

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

const std::vector<Json> kLabels{"no", "yes"};

/// Raises a signal in this process when a line of the log begins with `text`.
class SignalAtLogLine {
 public:
  SignalAtLogLine(std::string text, int signal_number) {
    set_log_observer([text = std::move(text), signal_number](
                         LogLevel, std::string_view line) {
      if (line.starts_with(text)) std::raise(signal_number);
    });
  }
  ~SignalAtLogLine() { set_log_observer({}); }
  SignalAtLogLine(const SignalAtLogLine&) = delete;
  SignalAtLogLine& operator=(const SignalAtLogLine&) = delete;
};

class ResumeTest : public ProgramTest {
 protected:
  ResumeTest() {
    at::set_num_threads(1);
    options_.model.model = write_model("tiny", tiny_config());
    options_.model.dropout = 0.1;
    options_.data.train_data = {write(
        "train.jsonl",
        toy_rows({9, 30, 5, 77, 128, 14, 3, 40, 22, 61, 8, 19}, kLabels))};
    options_.data.validation_data = {
        write("validation.jsonl", toy_rows({12, 30, 55, 7}, kLabels, 6))};
    options_.optimizer.batch_size = 2;
    options_.optimizer.epochs = 3;
    options_.optimizer.learning_rate = 1e-3;
    options_.optimizer.warmup_steps = 4;
    options_.compute.threads = 1;
    options_.compute.micro_batch_tokens = 60;
    options_.run.validate_every = 1;
    options_.run.checkpoint_every = 1000;
  }

  ExitCode train(const std::string& output, const std::string& resume) {
    TrainOptions options = options_;
    options.run.output_dir = path(output);
    options.run.resume = resume;
    return run_training(prepare_training(options), {});
  }

  std::vector<Json> history(const std::string& output) const {
    std::vector<Json> records;
    for (const Json& record :
         read_json_lines(path(output + "/metrics.jsonl"))) {
      records.push_back(without_measurements(record));
    }
    return records;
  }

  void expect_same_run(const std::string& a, const std::string& b) const {
    EXPECT_EQ(history(a), history(b));
    for (const char* file : {"/model/model.safetensors", "/model/config.json",
                             "/validation.json"}) {
      EXPECT_EQ(read_file(path(a + file)), read_file(path(b + file))) << file;
    }
    const std::string moments = last_checkpoint(a) + "/optimizer.safetensors";
    EXPECT_EQ(read_file(path(a + moments)), read_file(path(b + moments)));
  }

  std::string last_checkpoint(const std::string& output) const {
    std::string last;
    for (const auto& entry :
         std::filesystem::directory_iterator(path(output + "/checkpoints"))) {
      last = std::max(last, entry.path().filename().string());
    }
    return "/checkpoints/" + last;
  }

  TrainOptions options_;
};

// transformers issue 17032: dropout and shuffling differed after a resume.
TEST_F(ResumeTest, ContinuesBitForBitFromAnyStep) {
  ASSERT_EQ(train("whole", "none"), ExitCode::kSuccess);
  ASSERT_EQ(history("whole").size(), 36U);  // 18 steps and validations.
  // In the middle of each epoch and at its ends.
  for (const int step : {1, 6, 8, 9, 12, 17}) {
    SCOPED_TRACE(step);
    const std::string output = "stopped_" + std::to_string(step);
    {
      const SignalAtLogLine stop(
          "validation at step " + std::to_string(step) + ":", SIGTERM);
      ASSERT_EQ(train(output, "none"), ExitCode::kTerminated);
    }
    EXPECT_EQ(history(output).back().at("step"), step);
    ASSERT_EQ(train(output, "auto"), ExitCode::kSuccess);
    expect_same_run("whole", output);
  }
}

TEST_F(ResumeTest, TheAverageOfTheWeightsGoesOnToo) {
  options_.optimizer.ema_decay = 0.9;
  ASSERT_EQ(train("whole", "none"), ExitCode::kSuccess);
  for (const int step : {1, 8, 17}) {
    SCOPED_TRACE(step);
    const std::string output = "stopped_" + std::to_string(step);
    {
      const SignalAtLogLine stop(
          "validation at step " + std::to_string(step) + ":", SIGTERM);
      ASSERT_EQ(train(output, "none"), ExitCode::kTerminated);
    }
    ASSERT_EQ(train(output, "auto"), ExitCode::kSuccess);
    expect_same_run("whole", output);
    const std::string average =
        last_checkpoint(output) + "/weight_average.safetensors";
    EXPECT_EQ(read_file(path("whole" + average)),
              read_file(path(output + average)));
  }
}

TEST_F(ResumeTest, TheAverageIsWhatIsValidatedAndExported) {
  options_.optimizer.ema_decay = 0.9;
  options_.data.validation_data.clear();
  options_.run.validate_every = 0;
  ASSERT_EQ(train("average", "none"), ExitCode::kSuccess);
  const std::string checkpoint = last_checkpoint("average");
  const std::string exported =
      read_file(path("average/model/model.safetensors"));
  EXPECT_EQ(exported, read_file(path("average" + checkpoint +
                                     "/weight_average.safetensors")));
  EXPECT_NE(exported, read_file(path("average" + checkpoint +
                                     "/model/model.safetensors")));
  // The weights themselves learn as they do without it.
  options_.optimizer.ema_decay = 0;
  ASSERT_EQ(train("plain", "none"), ExitCode::kSuccess);
  EXPECT_EQ(history("plain"), history("average"));
  EXPECT_EQ(
      read_file(path("plain/model/model.safetensors")),
      read_file(path("average" + checkpoint + "/model/model.safetensors")));
}

TEST_F(ResumeTest, MayBeStoppedAgainAndAgain) {
  ASSERT_EQ(train("whole", "none"), ExitCode::kSuccess);
  for (int step = 1; step < 18; step += 3) {
    const SignalAtLogLine stop(
        "validation at step " + std::to_string(step) + ":", SIGINT);
    ASSERT_EQ(train("stopped", "auto"), ExitCode::kInterrupted);
  }
  ASSERT_EQ(train("stopped", "auto"), ExitCode::kSuccess);
  expect_same_run("whole", "stopped");
}

TEST_F(ResumeTest, SixtyStepsEqualThirtyAndThirty) {
  options_.optimizer.epochs.reset();
  options_.optimizer.max_steps = 60;
  options_.run.validate_every = 30;
  options_.run.checkpoint_every = 30;
  ASSERT_EQ(train("whole", "none"), ExitCode::kSuccess);
  {
    const SignalAtLogLine stop("validation at step 30:", SIGTERM);
    ASSERT_EQ(train("halves", "none"), ExitCode::kTerminated);
  }
  ASSERT_EQ(train("halves", "auto"), ExitCode::kSuccess);
  ASSERT_EQ(history("whole").size(), 62U);
  expect_same_run("whole", "halves");
}

// transformers issue 5605: steps and micro-batches were confused.
TEST_F(ResumeTest, GoesOnAtTheVeryNextDocumentOfAnEpochWithAccumulation) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 20; ++i) lengths.push_back(4 + i * 6);
  options_.data.train_data = {
      write("twenty.jsonl", toy_rows(lengths, kLabels))};
  options_.optimizer.batch_size = 4;
  options_.optimizer.epochs = 2;
  options_.compute.micro_batch_tokens = 1;  // Every document by itself.
  {
    const SignalAtLogLine stop("validation at step 3:", SIGTERM);
    ASSERT_EQ(train("run", "none"), ExitCode::kTerminated);
  }
  ASSERT_EQ(train("run", "auto"), ExitCode::kSuccess);
  // The lengths of the documents tell which ones a step has seen.
  std::vector<std::int64_t> expected;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    const auto order = epoch_order(
        20, static_cast<std::uint64_t>(options_.run.seed), epoch, true);
    for (std::size_t i = 0; i < 20; i += 4) {
      std::int64_t tokens = 0;
      for (std::size_t k = i; k < i + 4; ++k) {
        tokens += lengths[static_cast<std::size_t>(order[k])];
      }
      expected.push_back(tokens);
    }
  }
  std::vector<std::int64_t> seen;
  for (const Json& record : history("run")) {
    if (record.contains("validation")) continue;
    EXPECT_EQ(record.at("documents"), 4);
    EXPECT_EQ(record.at("micro_batches"), 4);
    seen.push_back(record.at("tokens").get<std::int64_t>());
  }
  EXPECT_EQ(seen, expected);
}

TEST_F(ResumeTest, AFinishedRunIsLeftAsItIs) {
  ASSERT_EQ(train("run", "none"), ExitCode::kSuccess);
  const std::string weights = read_file(path("run/model/model.safetensors"));
  const auto before = history("run");
  ASSERT_EQ(train("run", "auto"), ExitCode::kSuccess);
  EXPECT_EQ(history("run"), before);
  EXPECT_EQ(read_file(path("run/model/model.safetensors")), weights);
}

TEST_F(ResumeTest, AutoStartsWhereThereIsNothingToResume) {
  ASSERT_EQ(train("one", "auto"), ExitCode::kSuccess);
  ASSERT_EQ(train("other", "none"), ExitCode::kSuccess);
  expect_same_run("one", "other");
}

TEST_F(ResumeTest, ARunIsNotOverwrittenWithoutBeingAsked) {
  ASSERT_EQ(train("run", "none"), ExitCode::kSuccess);
  const auto before = history("run");
  try {
    train("run", "none");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--resume auto"));
  }
  EXPECT_EQ(history("run"), before);
}

TEST_F(ResumeTest, ACheckpointOfTheRunMayBeChosenByItsDirectory) {
  options_.run.checkpoint_every = 4;
  options_.run.keep_checkpoints = 10;
  ASSERT_EQ(train("run", "none"), ExitCode::kSuccess);
  std::filesystem::copy(path("run"), path("back"),
                        std::filesystem::copy_options::recursive);
  ASSERT_EQ(train("back", path("back/checkpoints/step-000008")),
            ExitCode::kSuccess);
  expect_same_run("run", "back");
}

TEST_F(ResumeTest, AChangedOptionIsNamedWithBothValues) {
  options_.run.checkpoint_every = 6;
  {
    const SignalAtLogLine stop("validation at step 6:", SIGTERM);
    ASSERT_EQ(train("run", "none"), ExitCode::kTerminated);
  }
  options_.optimizer.learning_rate = 5e-4;
  std::vector<std::string> warnings;
  set_log_observer([&](LogLevel level, std::string_view line) {
    if (level == LogLevel::kWarning) warnings.emplace_back(line);
  });
  ASSERT_EQ(train("run", "auto"), ExitCode::kSuccess);
  set_log_observer({});
  EXPECT_THAT(warnings, ::testing::Contains(::testing::AllOf(
                            HasSubstr("learning_rate"), HasSubstr("0.001"),
                            HasSubstr("0.0005"))));
}

}  // namespace
}  // namespace longformer::test
