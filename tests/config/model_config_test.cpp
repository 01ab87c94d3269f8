// SPDX-License-Identifier: MIT
#include "longformer/config/model_config.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Json good() {
  return Json::parse(R"({
    "model_type": "longformer", "vocab_size": 100, "hidden_size": 16,
    "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 130, "type_vocab_size": 1,
    "layer_norm_eps": 1e-5, "hidden_act": "gelu", "attention_window": 16,
    "hidden_dropout_prob": 0.2, "attention_probs_dropout_prob": 0.3,
    "initializer_range": 0.04, "pad_token_id": 1, "bos_token_id": 0,
    "eos_token_id": 2, "sep_token_id": 2})");
}

ModelConfig parsed(const Json& document, const ModelConfigRules& rules = {}) {
  return parse_model_config(document, "m/config.json", rules);
}

/// The message of the refusal, or "" if the document is accepted.
std::string refusal(const Json& document, const ModelConfigRules& rules = {}) {
  try {
    parsed(document, rules);
    return "";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), StartsWith("m/config.json: "));
    return error.what();
  }
}

std::string refusal_with(const char* key, const Json& value,
                         const ModelConfigRules& rules = {}) {
  Json document = good();
  document[key] = value;
  return refusal(document, rules);
}

TEST(ModelConfigTest, ReadsEveryNumber) {
  const ModelConfig config = parsed(good());
  EXPECT_EQ(config.vocab_size, 100);
  EXPECT_EQ(config.hidden_size, 16);
  EXPECT_EQ(config.num_hidden_layers, 2);
  EXPECT_EQ(config.num_attention_heads, 2);
  EXPECT_EQ(config.head_size(), 8);
  EXPECT_EQ(config.intermediate_size, 24);
  EXPECT_EQ(config.max_position_embeddings, 130);
  EXPECT_EQ(config.usable_length(), 128);
  EXPECT_EQ(config.type_vocab_size, 1);
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
  EXPECT_EQ(config.hidden_act, Activation::kGelu);
  EXPECT_EQ(config.hidden_dropout_prob, 0.2);
  EXPECT_EQ(config.attention_probs_dropout_prob, 0.3);
  EXPECT_EQ(config.initializer_range, 0.04);
  EXPECT_EQ(config.pad_token_id, 1);
  EXPECT_EQ(config.bos_token_id, 0);
  EXPECT_EQ(config.eos_token_id, 2);
  EXPECT_EQ(config.sep_token_id, 2);
  EXPECT_THAT(config.attention_window, ElementsAre(16, 16));
  EXPECT_EQ(config.pooling, Pooling::kCls);
  EXPECT_EQ(config.problem_type, std::nullopt);
}

// The library's defaults belong to another model (vocab 30522, 512 positions,
// 2 token types, eps 1e-12).
TEST(ModelConfigTest, NeverAssumesADefaultForWhatTheWeightsDependOn) {
  for (const char* key :
       {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
        "intermediate_size", "max_position_embeddings", "type_vocab_size",
        "layer_norm_eps", "hidden_act", "pad_token_id", "attention_window"}) {
    Json document = good();
    document.erase(key);
    EXPECT_THAT(refusal(document), AllOf(HasSubstr(key), HasSubstr("missing")));
    EXPECT_THAT(refusal_with(key, nullptr),
                AllOf(HasSubstr(key), HasSubstr("missing")));
  }
}

TEST(ModelConfigTest, NumbersThatOnlyTrainingUsesMayBeMissing) {
  Json document = good();
  for (const char* key : {"hidden_dropout_prob", "attention_probs_dropout_prob",
                          "initializer_range", "bos_token_id", "eos_token_id",
                          "sep_token_id", "model_type"}) {
    document.erase(key);
  }
  const ModelConfig config = parsed(document);
  EXPECT_EQ(config.hidden_dropout_prob, 0.1);
  EXPECT_EQ(config.sep_token_id, std::nullopt);
}

TEST(ModelConfigTest, RefusesWrongTypesAndSizes) {
  const Json huge = Json::parse("1e30");
  for (const char* key :
       {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
        "intermediate_size", "max_position_embeddings", "type_vocab_size"}) {
    for (const Json& value :
         {Json("16"), Json(16.0), Json(0), Json(-1), Json(true), Json::array(),
          Json(std::int64_t{1} << 40), Json(18446744073709551615u), huge}) {
      EXPECT_THAT(refusal_with(key, value),
                  AllOf(HasSubstr(key), HasSubstr(value.dump())))
          << value;
    }
  }
  for (const Json& value : {Json(0), Json(-1e-5), Json(1), Json("1e-5")}) {
    EXPECT_THAT(refusal_with("layer_norm_eps", value),
                HasSubstr("layer_norm_eps"));
  }
  for (const Json& value : {Json(1), Json(-0.1), Json("0.1"), Json(true)}) {
    EXPECT_THAT(refusal_with("hidden_dropout_prob", value),
                HasSubstr("hidden_dropout_prob"));
    EXPECT_THAT(refusal_with("attention_probs_dropout_prob", value),
                HasSubstr("attention_probs_dropout_prob"));
  }
  EXPECT_THAT(refusal_with("initializer_range", -1),
              HasSubstr("initializer_range"));
}

TEST(ModelConfigTest, ListsEveryProblem) {
  Json document = good();
  document.erase("vocab_size");
  document["hidden_act"] = "swoosh";
  document["attention_window"] = 15;
  document["num_attention_heads"] = 3;
  const std::string message = refusal(document);
  EXPECT_THAT(message, HasSubstr("4 problems")) << "and nothing derived";
  EXPECT_THAT(message, HasSubstr("vocab_size: missing"));
  EXPECT_THAT(message, HasSubstr("hidden_act: \"swoosh\""));
  EXPECT_THAT(message, HasSubstr("attention_window: 15"));
  EXPECT_THAT(message, HasSubstr("num_attention_heads: 3"));
}

TEST(ModelConfigTest, KnowsTheSpellingsOfActivations) {
  const auto activation = [](const char* name) {
    Json document = good();
    document["hidden_act"] = name;
    return parsed(document).hidden_act;
  };
  EXPECT_EQ(activation("gelu_python"), Activation::kGelu);
  EXPECT_EQ(activation("gelu_new"), Activation::kGeluTanh);
  EXPECT_EQ(activation("gelu_fast"), Activation::kGeluTanh);
  EXPECT_EQ(activation("gelu_pytorch_tanh"), Activation::kGeluTanh);
  EXPECT_EQ(activation("relu"), Activation::kRelu);
  EXPECT_EQ(activation("swish"), Activation::kSilu);
  EXPECT_THAT(refusal_with("hidden_act", "swoosh"),
              AllOf(HasSubstr("swoosh"), HasSubstr("gelu_new")));
}

// Positions start behind the padding id: a padding id of 20 leaves 109 of 130.
TEST(ModelConfigTest, PositionsBehindThePaddingIdLimitTheLength) {
  Json document = good();
  document["pad_token_id"] = 20;
  EXPECT_EQ(parsed(document).usable_length(), 109);
  document["max_position_embeddings"] = 21;
  EXPECT_THAT(refusal(document),
              AllOf(HasSubstr("max_position_embeddings"), HasSubstr("21")));
  document["max_position_embeddings"] = 22;
  EXPECT_EQ(parsed(document).usable_length(), 1);
}

TEST(ModelConfigTest, TokenIdsLieInTheVocabulary) {
  EXPECT_THAT(refusal_with("pad_token_id", 100), HasSubstr("pad_token_id"));
  EXPECT_THAT(refusal_with("eos_token_id", -1), HasSubstr("eos_token_id"));
  EXPECT_EQ(refusal_with("sep_token_id", nullptr), "");
}

TEST(ModelConfigTest, RefusesOtherKindsOfModels) {
  EXPECT_THAT(refusal_with("model_type", "bert"),
              AllOf(HasSubstr("model_type"), HasSubstr("bert")));
  EXPECT_EQ(refusal_with("model_type", "xlm-roberta"), "");
  EXPECT_THAT(refusal_with("position_embedding_type", "relative_key"),
              HasSubstr("position_embedding_type"));
  EXPECT_EQ(refusal_with("position_embedding_type", "absolute"), "");
}

TEST(ModelConfigTest, ReadsPoolingAndProblemType) {
  Json document = good();
  document["pooling"] = "mean";
  document["problem_type"] = "regression";
  EXPECT_EQ(parsed(document).pooling, Pooling::kMean);
  EXPECT_EQ(parsed(document).problem_type, ProblemType::kRegression);
  EXPECT_THAT(refusal_with("pooling", "max"), HasSubstr("pooling: \"max\""));
  EXPECT_THAT(refusal_with("problem_type", "ranking"),
              HasSubstr("problem_type: \"ranking\""));
  EXPECT_EQ(refusal_with("problem_type", nullptr), "");
}

TEST(ModelConfigTest, ArchitecturesMayLackVocabularyAndLabels) {
  Json document = good();
  document.erase("vocab_size");
  const ModelConfigRules rules{.use = ConfigUse::kArchitecture};
  const ModelConfig config = parsed(document, rules);
  EXPECT_EQ(config.vocab_size, 0);
  EXPECT_THAT(config.labels, IsEmpty());
  EXPECT_EQ(refusal_with("vocab_size", 50, rules), "");
  EXPECT_THAT(refusal_with("vocab_size", 0, rules), HasSubstr("vocab_size"));
}

TEST(ModelConfigTextTest, SyntaxErrorsNameThePlace) {
  try {
    parse_model_config_text("{\n\"vocab_size\": 3,", "m/config.json");
    FAIL() << "no exception";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ExitCode::kModel);
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("m/config.json: "), HasSubstr("line 2")));
  }
  EXPECT_THROW(parse_model_config_text("[]", "c"), ModelError);
  EXPECT_THROW(parse_model_config_text("", "c"), ModelError);
  EXPECT_THROW(parse_model_config_text("{\"a\": NaN}", "c"), ModelError);
}

}  // namespace
}  // namespace longformer
