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

std::vector<std::int64_t> at_columns(const at::Tensor& tensor,
                                     const GoldenDocument& document) {
  std::vector<std::int64_t> values;
  for (const std::int64_t column : document.columns) {
    values.push_back(
        tensor[document.row][column].to(at::kLong).item<std::int64_t>());
  }
  return values;
}

std::string records_of(const GoldenCase& golden,
                       const std::vector<GoldenDocument>& documents) {
  std::string lines;
  for (const GoldenDocument& document : documents) {
    Json record;
    record["input_ids"] = at_columns(golden.inputs.at("input_ids"), document);
    Json globals = Json::array();
    const auto mask =
        at_columns(golden.inputs.at("global_attention_mask"), document);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != 0) globals.push_back(i);
    }
    record["global_attention"] = globals;
    if (golden.inputs.contains("token_type_ids")) {
      record["token_type_ids"] =
          at_columns(golden.inputs.at("token_type_ids"), document);
    }
    lines += record.dump() + "\n";
  }
  return lines;
}

TEST(PredictGoldenTest, AnswersEveryCaseWithTheReferencesLogits) {
  int checked = 0;
  for (const std::string& name : classification_cases()) {
    SCOPED_TRACE(name);
    const GoldenCase golden = load_golden_case(name);
    const auto documents = live_documents(golden);
    if (std::any_of(documents.begin(), documents.end(), has_hole)) continue;
    RunOptions options;
    options.standard_input = records_of(golden, documents);
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
