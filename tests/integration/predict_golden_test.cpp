// SPDX-License-Identifier: MIT
//
// The golden classification cases through the program itself: records with
// input_ids in, logits out.
#include <gtest/gtest.h>

#include "../model/golden_case.h"
#include "support/paths.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace longformer::test {
namespace {

TEST(PredictGoldenTest, AnswersEveryCaseWithTheReferencesLogits) {
  int checked = 0;
  for (const std::string& name : classification_cases()) {
    SCOPED_TRACE(name);
    const GoldenCase golden = load_golden_case(name);
    const auto documents = live_documents(golden);
    if (std::any_of(documents.begin(), documents.end(), has_hole)) continue;
    RunOptions options;
    options.standard_input = golden_records(golden, documents);
    const RunResult result =
        run_program(longformer_binary(),
                    {"predict", "--model", golden.directory, "--data", "-",
                     "--output", "-", "--logits"},
                    options);
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    std::istringstream lines(result.standard_output);
    for (const GoldenDocument& document : documents) {
      std::string line;
      ASSERT_TRUE(std::getline(lines, line));
      const auto logits =
          parse_strict_json(line).at("logits").get<std::vector<double>>();
      const at::Tensor expected = golden.expect("f32.logits")[document.row];
      const double scale = std::max(1.0, expected.abs().max().item<double>());
      ASSERT_EQ(static_cast<std::int64_t>(logits.size()), expected.numel());
      for (std::size_t i = 0; i < logits.size(); ++i) {
        EXPECT_NEAR(logits[i],
                    expected[static_cast<std::int64_t>(i)].item<double>(),
                    2e-5 * scale);
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 32);
}

}  // namespace
}  // namespace longformer::test
