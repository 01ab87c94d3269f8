// SPDX-License-Identifier: MIT
//
// Documents of every length from one token to the most that the model can take
// give the numbers of the dense definition, whatever their company; what does
// not fit is refused with the number that would.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/train/pretrained.h"

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Logits of one record by the dense definition of attention.
std::vector<double> dense_logits(const std::string& model, const Json& row) {
  const ModelConfig config = read_model_config(model);
  const auto loaded = load_classifier(model, config, {}, at::kDouble);
  const auto ids = row.at("input_ids").get<std::vector<std::int64_t>>();
  const auto length = static_cast<std::int64_t>(ids.size());
  PackedInput input;
  input.token_ids_T = at::tensor(ids, at::kLong);
  input.position_ids_T =
      at::arange(config.pad_token_id + 1, config.pad_token_id + 1 + length);
  input.layout = PackedLayout({0, length}, {0}, {0, 1}, {0}, at::kCPU);
  ForwardSettings settings;
  settings.attention_path = AttentionPath::kDenseReference;
  const at::Tensor logits =
      loaded.classifier->logits(input, settings).contiguous();
  const double* values = logits.const_data_ptr<double>();
  return {values, values + logits.numel()};
}

class DocumentLengthTest : public ProgramTest {
 protected:
  RunResult predict(const std::string& model, const std::string& rows,
                    const std::vector<std::string>& more = {}) const {
    return run(with({"predict", "--model", model, "--data", "-", "--output",
                     "-", "--logits"},
                    more),
               rows);
  }

  void expect_dense_logits(const std::string& model, const std::string& rows,
                           const std::vector<Json>& answers) const {
    const std::vector<Json> records = parse_json_lines(rows);
    ASSERT_EQ(answers.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::vector<double> expected =
          dense_logits(path(model), records[i]);
      EXPECT_EQ(answers[i].at("tokens"), records[i].at("input_ids").size());
      for (std::size_t l = 0; l < expected.size(); ++l) {
        EXPECT_NEAR(answers[i].at("logits")[l].get<double>(), expected[l], 1e-4)
            << "row " << i;
      }
    }
  }
};

// transformers issue 7082: lengths that are no multiple of the window.
TEST_F(DocumentLengthTest, EveryLengthAroundAWindowWorksAloneAndTogether) {
  write_model("tiny", tiny_config());
  const std::string rows =
      toy_rows({1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128}, {});
  const RunResult together = predict("tiny", rows);
  ASSERT_EQ(together.exit_code, 0) << together.standard_error;
  const auto answers = parse_json_lines(together.standard_output);
  expect_dense_logits("tiny", rows, answers);
  const RunResult alone = predict("tiny", rows, {"--micro-batch-tokens", "1"});
  ASSERT_EQ(alone.exit_code, 0) << alone.standard_error;
  const auto alone_answers = parse_json_lines(alone.standard_output);
  ASSERT_EQ(alone_answers.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(answers[i].at("logits")[l].get<double>(),
                  alone_answers[i].at("logits")[l].get<double>(), 1e-5);
    }
  }
}

TEST_F(DocumentLengthTest, TheWindowNeedNotDivideTheLength) {
  ModelConfig config = tiny_config();
  config.attention_window = {48, 6};
  write_model("tiny", config);
  const std::string rows = toy_rows({128, 127, 49}, {});
  const RunResult result = predict("tiny", rows);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  expect_dense_logits("tiny", rows, parse_json_lines(result.standard_output));
}

TEST_F(DocumentLengthTest, WindowsThatCannotBeAreNamed) {
  write_model("tiny", tiny_config());
  const std::string data = write("train.jsonl", toy_rows({5, 6}, {"a", "b"}));
  const RunResult odd =
      run({"train", "--model", "tiny", "--train-data", data, "--output-dir",
           "run", "--attention-window", "15"});
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_THAT(odd.standard_error,
              AllOf(HasSubstr("attention_window"), HasSubstr("15")));
  const Json config = parse_strict_json(read_file(path("tiny/config.json")));
  for (const Json& windows :
       {Json(15), Json(0), Json(-16), Json::array({16, 16, 16}),
        Json::array({16}), Json::array({16, 7}), Json("16")}) {
    Json changed = config;
    changed["attention_window"] = windows;
    write("tiny/config.json", changed.dump());
    const RunResult result = predict("tiny", toy_rows({5}, {}));
    EXPECT_EQ(result.exit_code, 4) << windows;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("config.json"), HasSubstr("attention_window")));
    EXPECT_EQ(result.standard_output, "");
  }
}

// transformers issue 8077: 4098 rows hold 4096 tokens.
TEST_F(DocumentLengthTest, ALongTextIsCutToWhatTheModelCanTake) {
  write_text_model("tiny", tiny_config());
  std::string text;
  for (int i = 0; i < 500; ++i) text += "word ";
  const std::string rows = Json({{"text", text}}).dump() + "\n";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--max-length", "128"}}) {
    const RunResult result = predict("tiny", rows, more);
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    const Json answer = parse_strict_json(result.standard_output);
    EXPECT_EQ(answer.at("tokens"), 128);
    EXPECT_EQ(answer.at("truncated"), true);
  }
}

TEST_F(DocumentLengthTest, MoreThanTheModelCanTakeIsRefusedBeforeAnyForward) {
  write_text_model("tiny", tiny_config());
  for (const char* length : {"129", "130", "100000"}) {
    const RunResult result =
        predict("tiny", "{\"text\": \"a\"}\n", {"--max-length", length});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(
        result.standard_error,
        AllOf(HasSubstr("max_length"), HasSubstr(length), HasSubstr("128")));
    EXPECT_EQ(result.standard_output, "");
  }
}

TEST_F(DocumentLengthTest, AHighPaddingIdLeavesRoomForFewerTokens) {
  ModelConfig config = tiny_config();
  config.pad_token_id = 20;
  write_model("tiny", config);
  const RunResult refused =
      predict("tiny", toy_rows({5}, {}), {"--max-length", "125"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.standard_error, HasSubstr("109"));
  const std::string rows = toy_rows({109}, {});
  const RunResult fits = predict("tiny", rows, {"--max-length", "109"});
  ASSERT_EQ(fits.exit_code, 0) << fits.standard_error;
  EXPECT_EQ(parse_strict_json(fits.standard_output).at("tokens"), 109);
  const RunResult cut = predict("tiny", toy_rows({125}, {}));
  ASSERT_EQ(cut.exit_code, 0) << cut.standard_error;
  EXPECT_EQ(parse_strict_json(cut.standard_output).at("tokens"), 109);
}

TEST_F(DocumentLengthTest, AnIdBeyondTheVocabularyNamesIdAndRow) {
  write_model("tiny", tiny_config());
  for (const char* id : {"60", "-1", "2147483647"}) {
    const RunResult result =
        predict("tiny", toy_rows({5, 6}, {}) + "{\"input_ids\": [0, 5, " + id +
                            ", 2]}\n");
    EXPECT_EQ(result.exit_code, 3) << id;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr(id), HasSubstr("standard input:3")));
  }
}

TEST_F(DocumentLengthTest, AnIdBeyond32BitsNamesItsPlaceAndRow) {
  write_model("tiny", tiny_config());
  const RunResult result =
      predict("tiny", "{\"input_ids\": [0, 99999999999, 2]}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("element 1"), HasSubstr("standard input:1")));
}

TEST_F(DocumentLengthTest, AnEmptyDocumentIsRefusedByItsRow) {
  write_model("tiny", tiny_config());
  const RunResult result =
      predict("tiny", toy_rows({5}, {}) + "{\"input_ids\": []}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("standard input:2"));
}

}  // namespace
}  // namespace longformer::test
