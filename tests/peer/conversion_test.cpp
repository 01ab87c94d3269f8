// SPDX-License-Identifier: MIT
//
// RoBERTa and XLM-R of `transformers`, made into Longformers by `longformer
// convert`, against the same conversion written in Python: equal weights, ids
// and answers, there and here.
#include <filesystem>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "longformer/tokenizer/tokenizer.h"
#include "longformer/train/pretrained.h"

#include "../model/golden_case.h"
#include "peer_test.h"
#include "support/golden.h"

namespace longformer::test {
namespace {

constexpr double kTolerance = 2e-5;
constexpr std::int64_t kWindow = 64;

class ConversionTest : public PeerTest {
 protected:
  /// The tokenizer of XLM-R as `transformers` saves it: of a SentencePiece
  /// model alone it makes other ids, where accents stand alone, than
  /// SentencePiece does.
  void SetUp() override {
    run_script("make_texts.py", {"60", "41", "texts.jsonl"});
    write("spm/sentencepiece.bpe.model",
          read_file(golden_dir() / "tokenizer/spm/unigram.model"));
    write("spm/tokenizer_config.json",
          R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  }

  /// Makes short/, converts it to long/, and has Python compare the two.
  /// Returns what Python's conversion answers.
  std::vector<Json> convert(const std::vector<std::string>& model,
                            std::int64_t length, const std::string& dtype,
                            const std::vector<std::string>& more = {}) const {
    run_script("make_short_model.py", with({"short"}, model));
    const RunResult result =
        run(with({"convert", "--input", "short", "--output", "long",
                  "--attention-window", std::to_string(kWindow),
                  "--max-positions", std::to_string(length), "--dtype", dtype},
                 more));
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    run_script("check_conversion.py",
               {"short", "long", "texts.jsonl", "answers.jsonl", dtype,
                std::to_string(kWindow), std::to_string(length)});
    const std::vector<Json> answers = read_json_lines(path("answers.jsonl"));
    EXPECT_EQ(answers.size(), 60U);
    expect_ids(answers, length);
    return answers;
  }

  void expect_ids(const std::vector<Json>& answers, std::int64_t length) const {
    const auto tokenizer = load_tokenizer(path("long"));
    EncodeSettings settings;
    settings.max_length = length;
    const std::vector<Json> rows = read_json_lines(path("texts.jsonl"));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto text = rows[i].at("text").get<std::string>();
      EXPECT_EQ(Json(tokenizer->encode(text, std::nullopt, settings).ids),
                answers[i].at("ids"))
          << rows[i];
    }
  }

  static void expect_close(const std::vector<double>& ours, const Json& theirs,
                           std::size_t text) {
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], theirs[i].get<double>(), kTolerance)
          << "text " << text;
    }
  }

  void expect_logits(const std::vector<Json>& answers) const {
    const std::vector<Json> ours =
        parse_json_lines(run_well({"predict", "--model", "long", "--data",
                                   "texts.jsonl", "--output", "-", "--logits"})
                             .standard_output);
    ASSERT_EQ(ours.size(), answers.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      expect_close(ours[i].at("logits").get<std::vector<double>>(),
                   answers[i].at("values"), i);
    }
  }

  /// The same number as check_conversion.py makes of the last hidden states.
  void expect_hidden_states(const std::vector<Json>& answers) const {
    const LoadedClassifier loaded =
        load_classifier(path("long"), read_model_config(path("long")), {});
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto ids = answers[i].at("ids").get<std::vector<std::int64_t>>();
      const auto size = static_cast<std::int64_t>(ids.size());
      GoldenCase document;
      document.inputs["input_ids"] = at::tensor(ids, at::kLong).view({1, size});
      document.inputs["attention_mask"] = at::ones({1, size}, at::kLong);
      document.inputs["global_attention_mask"] =
          at::zeros({1, size}, at::kLong);
      document.inputs["global_attention_mask"][0][0] = 1;
      const PackedInput input =
          pack_golden(document, live_documents(document), 1);
      const at::Tensor states =
          loaded.classifier->hidden_states(input, {}).back();
      const at::Tensor sum =
          at::arange(1, size + 1, at::kFloat).matmul(states) /
          static_cast<double>(size * size);
      const at::Tensor wide = sum.to(at::kDouble);
      expect_close(
          {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()},
          answers[i].at("values"), i);
    }
  }

  std::string bpe() const { return (cache_dir() / "bpe-vocabulary").string(); }
};

TEST_F(ConversionTest, ARobertaClassifierBecomesTheLongformerOfTheReference) {
  // 250 tokens: four times the 62 of before, and a piece of them.
  expect_logits(
      convert({"roberta", "classifier", "safetensors", "saved:" + bpe()}, 250,
              "float32"));
}

TEST_F(ConversionTest, AnXlmrClassifierBecomesTheLongformerOfTheReference) {
  expect_logits(convert({"xlm-roberta", "classifier", "bin", "saved:spm"}, 248,
                        "float32"));
}

TEST_F(ConversionTest, ShardsOfARobertaWithoutHeadOpenThere) {
  expect_hidden_states(convert({"roberta", "base", "bin", "saved:" + bpe()},
                               310, "float32", {"--shard-size", "1000000"}));
}

TEST_F(ConversionTest, AnXlmrWithoutHeadIsRoundedAsThere) {
  expect_hidden_states(
      convert({"xlm-roberta", "base", "safetensors", "saved:spm"}, 186,
              "bfloat16", {"--shard-size", "20000"}));
  std::filesystem::remove_all(path("short"));
  std::filesystem::remove_all(path("long"));
  expect_hidden_states(convert(
      {"xlm-roberta", "base", "safetensors", "saved:spm"}, 186, "float16"));
}

}  // namespace
}  // namespace longformer::test
