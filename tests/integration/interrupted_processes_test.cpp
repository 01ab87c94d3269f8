// SPDX-License-Identifier: MIT
//
// A training of two processes that is told to stop, or whose disk fills up, and
// goes on later as if nothing had been.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "two_processes_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class InterruptedProcessesTest : public TwoProcessesTest {
 protected:
  std::vector<std::string> command(const std::string& output) const {
    return train(output, {"--epochs", "3", "--dropout", "0.1",
                          "--learning-rate", "1e-3", "--resume", "auto"});
  }

  /// What a run leaves behind that does not depend on time.
  std::string history(const std::string& output) const {
    std::string text = read_file(path(output + "/model/model.safetensors"));
    for (const Json& record :
         read_json_lines(path(output + "/metrics.jsonl"))) {
      text += without_measurements(record).dump() + "\n";
    }
    return text;
  }
};

// SageMaker training toolkit issue 173; transformers issue 17032.
TEST_F(InterruptedProcessesTest, GoOnBitForBitWhereverTheyWereTold) {
  EXPECT_EQ(run(command("whole")).exit_code, 0);
  for (const std::string place :
       {"reading", "forward", "backward", "evaluation", "save"}) {
    for (const std::string rank : {"0", "1"}) {
      if (place == "reading" && rank == "1") continue;  // Rank 0 reads.
      const std::string output = place + rank;
      const RunResult result =
          run_with_fault(command(output), "terminate:" + rank + ":" + place);
      EXPECT_EQ(result.exit_code, 143) << output << result.standard_error;
      const RunResult rest = run(command(output));
      EXPECT_EQ(rest.exit_code, 0) << output << rest.standard_error;
      if (place != "reading") {
        EXPECT_THAT(rest.standard_error, HasSubstr("resumed from")) << output;
      }
      EXPECT_EQ(history(output), history("whole")) << output;
    }
  }
}

// SageMaker training toolkit issue 204; open_lm issue 154.
TEST_F(InterruptedProcessesTest, AFullDiskLosesNoCheckpoint) {
  EXPECT_EQ(run(command("whole")).exit_code, 0);
  // A first checkpoint, then the disk is full in the third step of the rest.
  EXPECT_EQ(run_with_fault(command("full"), "terminate:0:forward").exit_code,
            143);
  const RunResult result = run_with_fault(command("full"), "disk:0:save");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("rank 0: "), HasSubstr("No space left")));
  EXPECT_EQ(run(command("full")).exit_code, 0);
  EXPECT_EQ(history("full"), history("whole"));
}

// transformers issue 6256: parameters that a loss does not use broke training
// in several processes.
TEST_F(InterruptedProcessesTest, NeedNoGlobalAttention) {
  auto rows = read_json_lines(path("train.jsonl"));
  std::string text;
  for (Json& row : rows) {
    row["global_attention"] = Json::array();
    text += row.dump() + "\n";
  }
  write("train.jsonl", text);
  const auto arguments = with(command("local"), {"--verify-replicas", "1"});
  const RunResult result = run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  auto alone = arguments;
  *(std::ranges::find(alone, "--processes") + 1) = "1";
  *(std::ranges::find(alone, path("local"))) = path("alone");
  EXPECT_EQ(run(alone).exit_code, 0);
  const auto several = read_json_lines(path("local/metrics.jsonl"));
  const auto one = read_json_lines(path("alone/metrics.jsonl"));
  ASSERT_EQ(several.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!one[i].contains("loss")) continue;
    const auto loss = one[i]["loss"].get<double>();
    EXPECT_NEAR(several[i]["loss"].get<double>(), loss, 1e-5 * loss);
  }
}

TEST_F(InterruptedProcessesTest, SayWhatEachOfThemDid) {
  EXPECT_EQ(run(with(command("run"), {"--compression", "fp16"})).exit_code, 0);
  const Json step = read_json_lines(path("run/metrics.jsonl")).front();
  EXPECT_GT(step["tokens_per_second"], 0);
  EXPECT_GT(step["exchanged_bytes"], 0);
  ASSERT_EQ(step["ranks"].size(), 2U);
  for (const Json& rank : step["ranks"]) {
    EXPECT_GT(rank["busy"], 0);
    EXPECT_LE(rank["busy"], 1);
    EXPECT_GT(rank["data_wait_seconds"], 0);
    EXPECT_GE(rank["exchange_wait_seconds"], 0);
    EXPECT_GT(rank["peak_memory_bytes"], 0);
  }
}

}  // namespace
}  // namespace longformer::test
