// SPDX-License-Identifier: MIT
// Writing a model's config.json.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/config/model_config.h"

namespace longformer {
namespace {

using testing::ElementsAre;

const char* const kDocument = R"({
    "use_cache": true, "model_type": "roberta", "vocab_size": 100,
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 24, "attention_window": 4,
    "max_position_embeddings": 130, "type_vocab_size": 1,
    "layer_norm_eps": 1e-5, "hidden_act": "gelu_fast", "pad_token_id": 1,
    "num_labels": 3, "torch_dtype": "float16", "classifier_dropout": null,
    "my_key": {"deep": [1, "ü"]}})";

ModelConfig config() { return parse_model_config_text(kDocument, "c"); }

std::vector<std::string> keys(const Json& document) {
  std::vector<std::string> names;
  for (const auto& [key, value] : document.items()) names.push_back(key);
  return names;
}

TEST(ModelConfigJsonTest, NamesTheClassThatHuggingFaceOpens) {
  const Json document = to_json(config());
  EXPECT_THAT(document["architectures"],
              ElementsAre("LongformerForSequenceClassification"));
  EXPECT_EQ(document["model_type"], "longformer");
}

TEST(ModelConfigJsonTest, KeepsUnknownKeysAndTheirOrder) {
  const Json written = to_json(config());
  EXPECT_EQ(written["use_cache"], true);
  EXPECT_EQ(written["classifier_dropout"], nullptr);
  EXPECT_EQ(written["my_key"], Json::parse(R"({"deep": [1, "ü"]})"));
  std::vector<std::string> expected = keys(Json::parse(kDocument));
  std::erase(expected, "num_labels");
  std::vector<std::string> names = keys(written);
  names.resize(expected.size());
  EXPECT_EQ(names, expected);
}

TEST(ModelConfigJsonTest, WritesTheTypeUnderBothNames) {
  EXPECT_EQ(to_json(config())["dtype"], "float16");
  EXPECT_EQ(to_json(config())["torch_dtype"], "float16");
  EXPECT_EQ(to_json(config(), "float32")["dtype"], "float32");
  EXPECT_EQ(to_json(config(), "float32")["torch_dtype"], "float32");
  ModelConfig without = config();
  without.original.erase("torch_dtype");
  EXPECT_EQ(to_json(without)["dtype"], "float32");
  without.original["torch_dtype"] = 7;
  EXPECT_EQ(to_json(without)["torch_dtype"], "float32");
}

TEST(ModelConfigJsonTest, WritesLabelsBothWays) {
  ModelConfig changed = config();
  changed.labels = {"b", "a"};
  const Json document = to_json(changed);
  EXPECT_EQ(document["id2label"], Json::parse(R"({"0": "b", "1": "a"})"));
  EXPECT_EQ(document["label2id"], Json::parse(R"({"b": 0, "a": 1})"));
  EXPECT_FALSE(document.contains("num_labels"));
}

TEST(ModelConfigJsonTest, WritesPoolingOnlyIfItIsNotThePublishedOne) {
  ModelConfig changed = config();
  EXPECT_FALSE(to_json(changed).contains("pooling"));
  changed.pooling = Pooling::kMean;
  EXPECT_EQ(to_json(changed)["pooling"], "mean");
  changed = parse_model_config(to_json(changed), "c");
  changed.pooling = Pooling::kCls;
  EXPECT_FALSE(to_json(changed).contains("pooling"));
}

TEST(ModelConfigJsonTest, WritesTheProblemType) {
  ModelConfig changed = config();
  EXPECT_FALSE(to_json(changed).contains("problem_type"));
  changed.problem_type = ProblemType::kMultiLabel;
  EXPECT_EQ(to_json(changed)["problem_type"], "multi_label_classification");
}

TEST(ModelConfigJsonTest, KeepsSpellingsThatStillHold) {
  ModelConfig changed = config();
  EXPECT_EQ(to_json(changed)["attention_window"], 4);
  EXPECT_EQ(to_json(changed)["hidden_act"], "gelu_fast");
  changed.attention_window = {4, 6};
  changed.hidden_act = Activation::kRelu;
  EXPECT_THAT(to_json(changed)["attention_window"], ElementsAre(4, 6));
  EXPECT_EQ(to_json(changed)["hidden_act"], "relu");
}

TEST(ModelConfigJsonTest, ReadingItBackGivesTheSameModel) {
  ModelConfig changed = config();
  changed.labels = {"x", "y", "z"};
  changed.attention_window = {8, 2};
  changed.hidden_dropout_prob = 0.1 + 0.2;
  changed.sep_token_id = 7;
  const Json document = to_json(changed);
  const ModelConfig again =
      parse_model_config_text(document.dump(2), "written");
  EXPECT_EQ(to_json(again), document);
  EXPECT_EQ(again.labels, changed.labels);
  EXPECT_EQ(again.attention_window, changed.attention_window);
  EXPECT_EQ(again.hidden_dropout_prob, changed.hidden_dropout_prob);
  EXPECT_EQ(again.sep_token_id, 7);
  EXPECT_EQ(again.bos_token_id, std::nullopt);
}

TEST(ModelConfigJsonTest, AnArchitectureWithoutVocabularyStaysOne) {
  Json original = Json::parse(kDocument);
  original.erase("vocab_size");
  const ModelConfigRules rules{.use = ConfigUse::kArchitecture};
  const Json written = to_json(parse_model_config(original, "c", rules));
  EXPECT_FALSE(written.contains("vocab_size"));
  EXPECT_FALSE(written.contains("id2label"));
  EXPECT_EQ(to_json(parse_model_config(written, "written", rules)), written);
}

TEST(ModelConfigJsonTest, DoubledWindowsAreNotDoubledAgain) {
  Json original = Json::parse(kDocument);
  original["attention_mode"] = "sliding_chunks";
  original["attention_dilation"] = {1, 1};
  original["autoregressive"] = false;
  const ModelConfig doubled =
      parse_model_config(original, "c", {.one_sided_window = true});
  const ModelConfig again = parse_model_config(to_json(doubled), "written");
  EXPECT_THAT(again.attention_window, ElementsAre(8, 8));
  EXPECT_FALSE(to_json(doubled).contains("attention_dilation"));
}

TEST(ModelConfigJsonTest, TenThousandLabelsAreQuick) {
  ModelConfig changed = config();
  changed.labels = default_labels(10'000);
  const ModelConfig again =
      parse_model_config_text(to_json(changed).dump(), "written");
  EXPECT_EQ(again.labels, changed.labels);
}

}  // namespace
}  // namespace longformer
