// SPDX-License-Identifier: MIT
//
// Which tokens attend globally is said in one way, changes the answer, and does
// not depend on the other documents of the batch.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/train/saved_tensors.h"

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string row_with(const std::string& globals) {
  Json row = parse_json_lines(toy_rows({40}, {}))[0];
  std::string text = row.dump();
  text.pop_back();
  return text + ", " + globals + "}\n";
}

PackedInput packed(const std::vector<std::vector<std::int64_t>>& documents,
                   const std::vector<std::vector<std::int32_t>>& globals) {
  std::vector<std::int64_t> ids, positions, offsets{0}, global_offsets{0};
  std::vector<std::int32_t> global_tokens, index;
  for (std::size_t b = 0; b < documents.size(); ++b) {
    for (std::size_t i = 0; i < documents[b].size(); ++i) {
      ids.push_back(documents[b][i]);
      positions.push_back(2 + static_cast<std::int64_t>(i));
    }
    global_tokens.insert(global_tokens.end(), globals[b].begin(),
                         globals[b].end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
    global_offsets.push_back(static_cast<std::int64_t>(global_tokens.size()));
    index.push_back(static_cast<std::int32_t>(b));
  }
  PackedInput input;
  input.token_ids_T = at::tensor(ids, at::kLong);
  input.position_ids_T = at::tensor(positions, at::kLong);
  input.layout =
      PackedLayout(offsets, global_tokens, global_offsets, index, at::kCPU);
  return input;
}

std::vector<std::int64_t> some_ids(std::int64_t length, std::int64_t seed) {
  std::vector<std::int64_t> ids{0};
  for (std::int64_t i = 1; i < length; ++i) {
    ids.push_back(4 + (i * 17 + seed * 5) % 50);
  }
  return ids;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

class GlobalAttentionTest : public ProgramTest {
 protected:
  GlobalAttentionTest() { write_model("tiny", tiny_config()); }

  RunResult predict(const std::string& model, const std::string& rows) const {
    return run({"predict", "--model", model, "--data", "-", "--output", "-",
                "--logits"},
               rows);
  }
  std::vector<double> logits(const std::string& model,
                             const std::string& row) const {
    const RunResult result = predict(model, row);
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return parse_strict_json(result.standard_output)
        .at("logits")
        .get<std::vector<double>>();
  }
};

TEST_F(GlobalAttentionTest, PositionsBehindTheCutAreCountedOnce) {
  const std::string rows = row_with("\"global_attention\": [30, 35]") +
                           row_with("\"global_attention\": [0, 35]");
  write("cut.jsonl", rows);
  const RunResult result = run({"predict", "--model", "tiny", "--data",
                                "cut.jsonl", "--max-length", "20"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              HasSubstr("global_attention: 3 positions in 2 documents"));
}

// transformers issue 7015: 2 was passed where 1 was meant.
TEST_F(GlobalAttentionTest, OnlyPositionsAndMasksOfZeroAndOneAreTaken) {
  std::string zeros = "0";
  for (int i = 1; i < 40; ++i) zeros += ",0";
  const std::string two = "\"global_attention_mask\": [2" + zeros.substr(1);
  const std::string minus = "\"global_attention_mask\": [-1" + zeros.substr(1);
  const std::string half = "\"global_attention_mask\": [0.5" + zeros.substr(1);
  for (const std::string& globals :
       {two + "]", minus + "]", half + "]",
        std::string("\"global_attention_mask\": [1,0]"),
        std::string("\"global_attention\": [-1]"),
        std::string("\"global_attention\": [40]"),
        std::string("\"global_attention\": [0, 0]"),
        std::string("\"global_attention\": [true]"),
        std::string("\"global_attention\": \"0\""),
        std::string("\"global_attention\": 0")}) {
    const RunResult result = predict("tiny", row_with(globals));
    EXPECT_EQ(result.exit_code, 3) << globals;
    EXPECT_THAT(result.standard_error, AllOf(HasSubstr("standard input:1"),
                                             HasSubstr("global_attention")))
        << globals;
  }
}

TEST_F(GlobalAttentionTest, TheFirstTokenIsGlobalUnlessTheRowSaysOtherwise) {
  const auto by_default = logits("tiny", toy_rows({40}, {}));
  EXPECT_EQ(by_default, logits("tiny", row_with("\"global_attention\": [0]")));
  EXPECT_NE(by_default, logits("tiny", row_with("\"global_attention\": []")));
  EXPECT_NE(by_default,
            logits("tiny", row_with("\"global_attention\": [0, 20]")));
  std::string mask = "\"global_attention_mask\": [1";
  for (int i = 1; i < 40; ++i) mask += i == 20 ? ",1" : ",0";
  EXPECT_EQ(logits("tiny", row_with("\"global_attention\": [0, 20]")),
            logits("tiny", row_with(mask + "]")));
}

TEST_F(GlobalAttentionTest, TheGlobalQueriesAreReallyUsed) {
  auto classifier = tiny_classifier(tiny_config());
  {
    const at::NoGradGuard no_gradients;
    for (const NamedParameter& p : named_parameters(*classifier)) {
      if (p.name.find("query_global.weight") != std::string::npos) {
        p.tensor.zero_();
      }
    }
  }
  std::filesystem::create_directory(path("zeroed"));
  save_classifier(*classifier, path("zeroed"));
  const std::string row = toy_rows({40}, {});
  const auto before = logits("tiny", row);
  const auto after = logits("zeroed", row);
  EXPECT_GT(std::abs(before[0] - after[0]), 1e-4);
}

TEST_F(GlobalAttentionTest, RowsWithDifferentNumbersOfGlobalsDoNotMeet) {
  const auto classifier = tiny_classifier(tiny_config());
  const std::vector<std::vector<std::int64_t>> documents{
      some_ids(40, 1), some_ids(70, 2), some_ids(23, 3)};
  // In front, inside and outside of a query's band, and none at all.
  const std::vector<std::vector<std::int32_t>> globals{{0}, {0, 9, 66}, {}};
  const at::Tensor together =
      classifier->logits(packed(documents, globals), {});
  ForwardSettings dense;
  dense.attention_path = AttentionPath::kDenseReference;
  for (std::size_t b = 0; b < documents.size(); ++b) {
    const PackedInput alone = packed({documents[b]}, {globals[b]});
    const at::Tensor row = together[static_cast<std::int64_t>(b)];
    EXPECT_LE(largest_difference(row, classifier->logits(alone, {})[0]), 1e-5);
    // No global key is counted twice.
    EXPECT_LE(largest_difference(row, classifier->logits(alone, dense)[0]),
              1e-4);
  }
}

std::vector<at::Tensor> gradients(
    LongformerClassifier& classifier,
    const std::vector<std::vector<std::int64_t>>& documents,
    const std::vector<std::int64_t>& classes,
    const std::vector<double>& weights, double scale) {
  for (const NamedParameter& p : named_parameters(classifier)) {
    p.tensor.mutable_grad() = at::Tensor();
  }
  Targets targets;
  targets.class_ids_B = at::tensor(classes, at::kLong);
  targets.weights_B = at::tensor(weights, at::kDouble);
  const std::vector<std::vector<std::int32_t>> globals(documents.size(), {0});
  const auto result =
      classifier.loss(packed(documents, globals), targets, {}, scale, {});
  EXPECT_TRUE(at::isfinite(result.loss).all().item<bool>());
  result.loss.backward();
  return gradients_of(classifier);
}

// transformers PR 4352: a row of padding made the loss NaN.
TEST_F(GlobalAttentionTest, AFillerDocumentChangesNeitherLossNorGradients) {
  const auto classifier = tiny_classifier(tiny_config());
  const auto filler = std::vector<std::int64_t>(16, 1);
  const auto without = gradients(
      *classifier, {some_ids(40, 1), some_ids(23, 3)}, {0, 1}, {1, 1}, 0.5);
  const auto with_filler =
      gradients(*classifier, {some_ids(40, 1), filler, some_ids(23, 3)},
                {0, -100, 1}, {1, 0, 1}, 0.5);
  EXPECT_LE(relative_difference(without, with_filler), 1e-6);
  for (const at::Tensor& gradient : with_filler) {
    EXPECT_TRUE(at::isfinite(gradient).all().item<bool>());
  }
}

TEST_F(GlobalAttentionTest, ADocumentOfPaddingAloneIsRefusedByItsRow) {
  const RunResult result = predict(
      "tiny", "{\"input_ids\": [1, 1, 1], \"attention_mask\": [0, 0, 0]}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("standard input:1"));
}

TEST_F(GlobalAttentionTest, PaddingAtTheEndIsDropped) {
  const std::string plain = "{\"input_ids\": [0, 7, 8, 2]}\n";
  const std::string padded =
      "{\"input_ids\": [0, 7, 8, 2, 1, 1], "
      "\"attention_mask\": [1, 1, 1, 1, 0, 0]}\n";
  EXPECT_EQ(logits("tiny", plain), logits("tiny", padded));
}

TEST_F(GlobalAttentionTest, FiveDocumentsInBatchesOfFourTrainOnAllOfThem) {
  write("train.jsonl", toy_rows({9, 30, 5, 77, 12}, {"no", "yes"}));
  run_well({"train", "--model", "tiny", "--train-data", "train.jsonl",
            "--output-dir", "run", "--epochs", "2", "--batch-size", "4"});
  std::vector<std::int64_t> documents;
  for (const Json& record : read_json_lines(path("run/metrics.jsonl"))) {
    documents.push_back(record.at("documents").get<std::int64_t>());
    EXPECT_TRUE(record.at("loss").is_number());
  }
  EXPECT_EQ(documents, (std::vector<std::int64_t>{4, 1, 4, 1}));
}

}  // namespace
}  // namespace longformer::test
