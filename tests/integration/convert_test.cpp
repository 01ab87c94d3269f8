// SPDX-License-Identifier: MIT
//
// `longformer convert`: windows, lengths, types, shards and what goes along.
#include <cstring>
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/half.h"

#include "convert_program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// allenai/longformer issue 194: a window counted on one side acted as half of
// what was meant, or twice.
TEST_F(ConvertTest, WindowsOfOneSideAreDoubledOnlyOnRequest) {
  const std::string expected = answers("model");
  write_renamed("ai2", [](const std::string& name) { return name; });
  change_config("ai2", [](Json& config) {
    config["attention_window"] = {8, 8};
    config["attention_mode"] = "sliding_chunks";
    config["attention_dilation"] = {1, 1};
    config["autoregressive"] = false;
  });
  for (const RunResult& result :
       {convert("ai2", "out"), run({"predict", "--model", "ai2", "--data",
                                    "data.jsonl", "--output", "-"})}) {
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.standard_error, AllOf(HasSubstr("attention_mode"),
                                             HasSubstr("--one-sided-window")));
  }
  EXPECT_EQ(convert("ai2", "out", {"--one-sided-window"}).exit_code, 0);
  EXPECT_EQ(config_of("out").at("attention_window"), Json({16, 16}));
  EXPECT_EQ(answers("out"), expected);
  // Without that mark a window is what it says, and the flag still doubles it.
  change_config("ai2", [](Json& config) { config.erase("attention_mode"); });
  EXPECT_EQ(convert("ai2", "plain").exit_code, 0);
  EXPECT_EQ(config_of("plain").at("attention_window"), Json({8, 8}));
  EXPECT_NE(answers("plain"), expected);
  EXPECT_EQ(convert("ai2", "doubled", {"--one-sided-window"}).exit_code, 0);
  EXPECT_EQ(answers("doubled"), expected);
}

TEST_F(ConvertTest, AShortModelIsTiledAsPublished) {
  write_short_model("short");
  const RunResult shown = run({"inspect", "short"});
  EXPECT_EQ(shown.exit_code, 0) << shown.standard_error;
  EXPECT_THAT(shown.standard_output,
              HasSubstr("attention windows: none; `longformer convert`"));
  const RunResult without_window = convert("short", "out");
  EXPECT_EQ(without_window.exit_code, 2);
  EXPECT_THAT(without_window.standard_error, HasSubstr("--attention-window"));
  const RunResult result = convert(
      "short", "out", {"--attention-window", "32", "--max-positions", "150"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              HasSubstr("12 of them global projections copied"));
  const Json config = config_of("out");
  EXPECT_EQ(config.at("max_position_embeddings"), 152);
  EXPECT_EQ(config.at("attention_window"), Json({32, 32}));
  EXPECT_EQ(config.at("model_type"), "longformer");
  const Weights before = weights_in(path("short"));
  const Weights after = weights_in(path("out"));
  const auto& old_rows =
      before.at("roberta.embeddings.position_embeddings.weight").values;
  const Weight& positions = after.at(kPositions);
  ASSERT_EQ(positions.shape, (std::vector<std::int64_t>{152, 32}));
  for (std::size_t row = 0; row < 152; ++row) {
    // Rows 0 and 1 are no positions; 62 follow, two and a half times.
    const std::size_t source = row < 2 ? row : 2 + (row - 2) % 62;
    for (std::size_t i = 0; i < 32; ++i) {
      ASSERT_EQ(positions.values[row * 32 + i], old_rows[source * 32 + i])
          << row;
    }
  }
  for (const auto& [name, weight] : after) {
    if (name == kPositions) continue;
    std::string source = name;
    if (const std::size_t at = source.find("_global"); at != source.npos) {
      source.erase(at, std::strlen("_global"));
    }
    if (source.starts_with("longformer.")) {
      source = "roberta." + without_prefix(source);
    }
    EXPECT_EQ(weight, before.at(source)) << name;
  }
  EXPECT_EQ(parse_json_lines(answers("out")).size(), 3U);
}

TEST_F(ConvertTest, LengthsThatCannotBeAreConfigErrors) {
  for (const std::string& length :
       {std::string("127"), std::string("100000001"),
        std::to_string(std::numeric_limits<std::int64_t>::max()),
        std::string("288230376151711744")}) {
    SCOPED_TRACE(length);
    const RunResult result =
        convert("model", "out", {"--max-positions", length});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("max_positions"), HasSubstr(length)));
  }
  const RunResult odd = convert("model", "out", {"--attention-window", "7"});
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_THAT(odd.standard_error,
              AllOf(HasSubstr("attention_window"), HasSubstr("7")));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(ConvertTest, WeightsAreRoundedToTheTypeThatIsAskedFor) {
  const Weights before = weights_in(path("model"));
  const auto expect_type = [&](const std::string& type, DType dtype,
                               const std::function<float(float)>& round) {
    SCOPED_TRACE(type);
    EXPECT_EQ(convert("model", type, {"--dtype", type}).exit_code, 0);
    EXPECT_EQ(config_of(type).at("dtype"), type);
    const ModelFiles files = ModelFiles::open(path(type));
    for (const ModelFiles::Tensor& tensor : files.tensors()) {
      EXPECT_EQ(tensor.entry->dtype, dtype);
    }
    for (const auto& [name, weight] : weights_in(path(type))) {
      std::vector<float> expected = before.at(name).values;
      for (float& value : expected) value = round(value);
      EXPECT_EQ(weight.values, expected) << name;
    }
  };
  expect_type("float64", DType::kF64, [](float value) { return value; });
  expect_type("float16", DType::kF16,
              [](float value) { return half_to_float(double_to_half(value)); });
  expect_type("bfloat16", DType::kBF16, [](float value) {
    return bfloat16_to_float(double_to_bfloat16(value));
  });
  EXPECT_EQ(convert("float64", "back", {"--dtype", "float32"}).exit_code, 0);
  EXPECT_EQ(read_file(path("back/model.safetensors")),
            read_file(path("model/model.safetensors")));
}

TEST_F(ConvertTest, WeightsBeyondATypeAreRefusedByName) {
  Weights weights = weights_in(path("model"));
  weights["classifier.dense.weight"].values[5] = 1e6F;
  write_weights("large", weights);
  const RunResult result = convert("large", "out", {"--dtype", "float16"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("classifier.dense.weight"), HasSubstr("float16"),
                    HasSubstr("bfloat16")));
  EXPECT_EQ(convert("large", "out", {"--dtype", "bfloat16"}).exit_code, 0);
}

TEST_F(ConvertTest, ShardsTogetherAreTheModel) {
  EXPECT_EQ(convert("model", "parts", {"--shard-size", "20000"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("parts/model.safetensors")));
  int shards = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("parts"))) {
    if (entry.path().extension() != ".safetensors") continue;
    ++shards;
    // The bytes of the tensors, and a header.
    EXPECT_LE(entry.file_size(), 20000U + 4000U);
  }
  EXPECT_GT(shards, 2);
  EXPECT_EQ(weights_in(path("parts")), weights_in(path("model")));
  EXPECT_EQ(answers("parts"), answers("model"));
  EXPECT_EQ(convert("parts", "whole").exit_code, 0);
  EXPECT_EQ(read_file(path("whole/model.safetensors")),
            read_file(path("model/model.safetensors")));
}

TEST_F(ConvertTest, OptionsThatChangeNothingAreNamed) {
  const auto length = std::to_string(tiny_config().usable_length());
  const RunResult result = convert(
      "model", "out", {"--shard-size", "1000", "--max-positions", length});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("shard_size (1000) is below the"),
                    HasSubstr("max_positions has no effect")));
}

TEST_F(ConvertTest, AWeightFileBringsConfigAndTokenizerFromItsFolder) {
  write_text_model("text", tiny_config());
  write("text/tokenizer_config.json",
        "{\"tokenizer_class\": \"RobertaTokenizer\", "
        "\"model_max_length\": 128}");
  const RunResult result =
      convert("text/model.safetensors", "out", {"--max-positions", "254"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  write("texts.jsonl", "{\"text\": \"" + std::string(300, 'x') + "\"}\n");
  const Json answer =
      parse_json_lines(run_well({"predict", "--model", "out", "--data",
                                 "texts.jsonl", "--output", "-"})
                           .standard_output)[0];
  EXPECT_EQ(answer.at("tokens"), 254);
  // Otherwise Python's classes go on cutting texts where the old model ended.
  EXPECT_EQ(parse_strict_json(read_file(path("out/tokenizer_config.json")))
                .at("model_max_length"),
            254);
  EXPECT_EQ(read_file(path("out/vocab.json")),
            read_file(path("text/vocab.json")));
}

TEST_F(ConvertTest, AnExistingFolderIsNotOverwritten) {
  const RunResult result = convert("model", "model");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.exit_code, 1);
  EXPECT_THAT(result.standard_error, HasSubstr("model"));
  EXPECT_EQ(parse_json_lines(answers("model")).size(), 3U);
}

}  // namespace
}  // namespace longformer::test
