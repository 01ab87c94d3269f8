// SPDX-License-Identifier: MIT
//
// `longformer convert` and the names of tensors: which are known, needed, kept.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert_program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using ConvertNamesTest = ConvertTest;
using Rename = std::function<std::string(const std::string&)>;

TEST_F(ConvertNamesTest, EveryKnownPrefixGivesTheSameModel) {
  const std::string expected = answers("model");
  const Weights weights = weights_in(path("model"));
  const auto encoder = [](const std::string& prefix) -> Rename {
    return [prefix](const std::string& name) {
      return name.starts_with("longformer.") ? prefix + without_prefix(name)
                                             : name;
    };
  };
  const auto all = [](const std::string& prefix) -> Rename {
    return [prefix](const std::string& name) { return prefix + name; };
  };
  int number = 0;
  for (const Rename& rename :
       {encoder("roberta."), encoder("xlm_roberta."), encoder("xlm-roberta."),
        encoder(""), encoder("module.roberta."), encoder("model."),
        all("module."), all("model."), all("module.model.")}) {
    const std::string name = "model" + std::to_string(++number);
    SCOPED_TRACE(rename(kPositions));
    write_renamed(name, rename);
    EXPECT_EQ(answers(name), expected);
    EXPECT_EQ(convert(name, "to_" + name).exit_code, 0);
    EXPECT_EQ(weights_in(path("to_" + name)), weights);
  }
}

// allenai/longformer issue 159: names with another prefix were "newly
// initialized", and a model was trained from noise.
TEST_F(ConvertNamesTest, AnUnknownPrefixIsRefusedWithTheFirstNamesOfBothSides) {
  write_renamed("odd",
                [](const std::string& name) { return "student." + name; });
  write("labelled.jsonl", toy_rows({20, 30, 40}, {"no", "yes"}));
  for (const RunResult& result :
       {convert("odd", "out"),
        run({"predict", "--model", "odd", "--data", "data.jsonl", "--output",
             "-"}),
        run({"train", "--model", "odd", "--train-data", "labelled.jsonl",
             "--output-dir", "run"})}) {
    EXPECT_EQ(result.exit_code, 4) << result.standard_error;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("longformer.embeddings."),
                      HasSubstr(" is missing"), HasSubstr("student.")));
  }
}

TEST_F(ConvertNamesTest, EveryTensorOfTheEncoderIsNeeded) {
  const Weights weights = weights_in(path("model"));
  int refused = 0;
  for (const auto& [left_out, weight] : weights) {
    if (!left_out.starts_with("longformer.")) continue;
    // The layers are alike: one of them is enough.
    if (left_out.find("layer.0.") != std::string::npos) continue;
    SCOPED_TRACE(left_out);
    Weights others = weights;
    others.erase(left_out);
    write_weights("part", others);
    const RunResult result = convert("part", "out");
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.standard_error, HasSubstr(left_out + " is missing"));
    others[left_out] = {{1, 2, 3}, std::vector<float>(6)};
    write_weights("part", others);
    const RunResult misshapen = convert("part", "out");
    EXPECT_EQ(misshapen.exit_code, 4);
    EXPECT_THAT(misshapen.standard_error,
                AllOf(HasSubstr(left_out), HasSubstr("[1, 2, 3]"),
                      HasSubstr("config.json asks for")));
    ++refused;
  }
  EXPECT_EQ(refused, 5 + 22);
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

// allenai/longformer issue 95: a buffer of a fixed length kept models from
// being opened.
TEST_F(ConvertNamesTest, PositionIdsOfAnyLengthAreIgnoredAndNeverWritten) {
  const std::string expected = answers("model");
  for (const std::int64_t length : {130, 66}) {
    Weights weights = weights_in(path("model"));
    weights["longformer.embeddings.position_ids"] = {
        {1, length}, std::vector<float>(static_cast<std::size_t>(length))};
    const std::string name = "with" + std::to_string(length);
    write_weights(name, weights);
    EXPECT_EQ(answers(name), expected);
    EXPECT_EQ(convert(name, "to_" + name).exit_code, 0);
    EXPECT_EQ(weights_in(path("to_" + name)), weights_in(path("model")));
  }
}

TEST_F(ConvertNamesTest, TokenTypesOfAnotherConfigAreRefusedWithBothShapes) {
  Weights weights = weights_in(path("model"));
  weights["longformer.embeddings.token_type_embeddings.weight"] = {
      {2, 32}, std::vector<float>(64)};
  write_weights("types", weights);
  for (const RunResult& result :
       {convert("types", "out"), run({"predict", "--model", "types", "--data",
                                      "data.jsonl", "--output", "-"})}) {
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("token_type_embeddings.weight"),
                      HasSubstr("[2, 32]"), HasSubstr("[1, 32]")));
  }
}

TEST_F(ConvertNamesTest, PoolersAndOtherHeadsGoAlongUnderTheirPublishedNames) {
  Weights weights = weights_in(path("model"));
  const Weight pooler{{32, 32}, std::vector<float>(1024, 0.5F)};
  const Weight head{{60}, std::vector<float>(60, 0.25F)};
  weights["roberta.pooler.dense.weight"] = pooler;
  weights["lm_head.bias"] = head;
  write_weights("more", weights);
  EXPECT_EQ(convert("more", "out").exit_code, 0);
  const Weights after = weights_in(path("out"));
  EXPECT_EQ(after.at("longformer.pooler.dense.weight"), pooler);
  EXPECT_EQ(after.at("lm_head.bias"), head);
  EXPECT_EQ(answers("out"), answers("model"));
}

}  // namespace
}  // namespace longformer::test
