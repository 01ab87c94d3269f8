// SPDX-License-Identifier: MIT
//
// How a global batch is cut into micro-batches changes nothing, and the last,
// shorter batch of an epoch counts like the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../model/golden_case.h"
#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

class AccumulationTest : public ProgramTest {
 protected:
  AccumulationTest() {
    write_model("tiny", tiny_config());
    write("train.jsonl",
          toy_rows({12, 30, 7, 9, 60, 22, 14, 5, 41, 18}, {"no", "yes"}));
  }

  std::vector<Json> train(const std::string& output, std::int64_t batch_size,
                          std::int64_t micro_batch_tokens) {
    run_well({"train", "--model", "tiny", "--train-data", "train.jsonl",
              "--output-dir", output, "--epochs", "1", "--batch-size",
              std::to_string(batch_size), "--micro-batch-tokens",
              std::to_string(micro_batch_tokens), "--dropout", "0",
              "--learning-rate", "1e-3", "--warmup-steps", "2"});
    return read_json_lines(path(output + "/metrics.jsonl"));
  }

  /// Largest difference of weights whose gradient is more than noise.
  double difference(const std::string& a, const std::string& b) const {
    const auto first = read_tensors(path(a + "/model/model.safetensors"));
    const auto second = read_tensors(path(b + "/model/model.safetensors"));
    double largest = 0;
    for (const auto& [name, tensor] : first) {
      largest = std::max(largest,
                         (tensor - second.at(name)).abs().max().item<double>());
    }
    return largest;
  }
};

// transformers issue 38837: the short last window was divided by the full
// count, or dropped.
TEST_F(AccumulationTest, TenDocumentsInBatchesOfFourAreThreeEqualSteps) {
  const auto whole = train("whole", 4, 100000);
  const auto single = train("single", 4, 1);
  const auto ragged = train("ragged", 4, 50);
  for (const auto* steps : {&whole, &single, &ragged}) {
    ASSERT_EQ(steps->size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ((*steps)[i].at("documents"), i < 2 ? 4 : 2);
      EXPECT_NEAR((*steps)[i].at("loss").get<double>(),
                  whole[i].at("loss").get<double>(), 1e-6);
      EXPECT_NEAR((*steps)[i].at("grad_norm").get<double>(),
                  whole[i].at("grad_norm").get<double>(), 1e-5);
    }
  }
  EXPECT_EQ(single[0].at("micro_batches"), 4);
  EXPECT_EQ(single[2].at("micro_batches"), 2);
  EXPECT_LE(difference("whole", "single"), 1e-6);
  EXPECT_LE(difference("whole", "ragged"), 1e-6);
}

TEST_F(AccumulationTest, TheScheduleMovesOncePerOptimizerStep) {
  const auto steps = train("run", 4, 1);
  const std::vector<double> expected{0, 0.5e-3, 1e-3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(steps.at(i).at("learning_rate").get<double>(), expected[i],
                1e-12);
  }
}

TEST_F(AccumulationTest, ABatchLargerThanTheDataIsOneStepAnEpoch) {
  const auto steps = train("run", 16, 1);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].at("documents"), 10);
}

TEST_F(AccumulationTest, ABatchOfNothingIsRefused) {
  const RunResult result =
      run({"train", "--model", "tiny", "--train-data", "train.jsonl",
           "--output-dir", "run", "--batch-size", "0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error, HasSubstr("--batch-size"));
}

}  // namespace
}  // namespace longformer::test
