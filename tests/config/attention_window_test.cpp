// SPDX-License-Identifier: MIT
// Windows of a model's config.json, HF's and the original code's.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/config/model_config.h"

namespace longformer {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ModelConfigRules kOneSided{.one_sided_window = true};

Json with_window(const Json& window) {
  Json document = Json::parse(R"({
    "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 3,
    "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 130, "type_vocab_size": 1,
    "layer_norm_eps": 1e-5, "hidden_act": "gelu", "pad_token_id": 1})");
  document["attention_window"] = window;
  return document;
}

std::string refusal(const Json& document, const ModelConfigRules& rules = {}) {
  try {
    parse_model_config(document, "c", rules);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

std::vector<std::int64_t> windows(const Json& document,
                                  const ModelConfigRules& rules = {}) {
  return parse_model_config(document, "c", rules).attention_window;
}

TEST(AttentionWindowTest, OneNumberIsForAllLayersAndAListForEach) {
  EXPECT_THAT(windows(with_window(4)), ElementsAre(4, 4, 4));
  EXPECT_THAT(windows(with_window({2, 8, 512})), ElementsAre(2, 8, 512));
}

TEST(AttentionWindowTest, BadWindowsAreNamed) {
  EXPECT_THAT(refusal(with_window(15)),
              AllOf(HasSubstr("attention_window"), HasSubstr("15")));
  EXPECT_THAT(refusal(with_window({4, 5, 4})),
              AllOf(HasSubstr("5 in layer 1"), HasSubstr("odd")));
  for (const Json& window : {Json(0), Json(-2), Json(std::int64_t{1} << 40)}) {
    EXPECT_THAT(refusal(with_window(window)),
                AllOf(HasSubstr("attention_window"), HasSubstr(window.dump())));
  }
  for (const Json& window :
       {Json("4"), Json(4.0), Json(true), Json({4, "4", 4}), Json::object()}) {
    EXPECT_THAT(refusal(with_window(window)),
                AllOf(HasSubstr("attention_window"), HasSubstr("whole number")))
        << window;
  }
}

TEST(AttentionWindowTest, AListHasOneWindowPerLayer) {
  EXPECT_THAT(refusal(with_window({4, 4})),
              AllOf(HasSubstr("attention_window"), HasSubstr("2 windows"),
                    HasSubstr("3 layers")));
  EXPECT_THAT(refusal(with_window(Json::array())), HasSubstr("0 windows"));
}

TEST(AttentionWindowTest, ShortModelsHaveNone) {
  EXPECT_THAT(refusal(with_window(nullptr)),
              AllOf(HasSubstr("attention_window: missing"),
                    HasSubstr("longformer convert --attention-window")));
  EXPECT_THAT(windows(with_window(nullptr), {.use = ConfigUse::kShortModel}),
              IsEmpty());
}

TEST(AttentionWindowTest, TheOriginalCodesConfigsNeedTheFlag) {
  for (const char* mode : {"sliding_chunks", "tvm"}) {
    Json document = with_window({256, 256, 128});
    document["attention_mode"] = mode;
    document["attention_dilation"] = {1, 1, 1};
    document["autoregressive"] = false;
    EXPECT_THAT(refusal(document),
                AllOf(HasSubstr("attention_mode"), HasSubstr(mode),
                      HasSubstr("--one-sided-window")));
    EXPECT_THAT(windows(document, kOneSided), ElementsAre(512, 512, 256));
  }
}

TEST(AttentionWindowTest, OneSidedWindowsMayBeOdd) {
  EXPECT_THAT(windows(with_window(3), kOneSided), ElementsAre(6, 6, 6));
  EXPECT_THAT(refusal(with_window(0), kOneSided), HasSubstr("from 1"));
}

TEST(AttentionWindowTest, OtherPatternsAreRefusedWhateverTheFlag) {
  Json document = with_window(4);
  document["attention_mode"] = "n2";
  EXPECT_THAT(refusal(document, kOneSided), HasSubstr("\"n2\""));
  document["attention_mode"] = "longformer";
  EXPECT_EQ(refusal(document), "");
  document["attention_dilation"] = {1, 2, 1};
  EXPECT_THAT(refusal(document, kOneSided), HasSubstr("attention_dilation"));
  document["attention_dilation"] = 1;
  document["autoregressive"] = true;
  EXPECT_THAT(refusal(document, kOneSided), HasSubstr("autoregressive"));
}

TEST(SetAttentionWindowTest, SetsEveryLayerOrRefuses) {
  ModelConfig config = parse_model_config(with_window({2, 4, 6}), "c");
  set_attention_window(config, 8);
  EXPECT_THAT(config.attention_window, ElementsAre(8, 8, 8));
  for (const std::int64_t window : {0, 1, 7, -2}) {
    EXPECT_THROW(set_attention_window(config, window), ConfigError);
  }
  EXPECT_THAT(config.attention_window, ElementsAre(8, 8, 8));
}

}  // namespace
}  // namespace longformer
