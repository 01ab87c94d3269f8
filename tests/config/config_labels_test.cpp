// SPDX-License-Identifier: MIT
// Labels of a model's config.json.
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

Json with(const std::string& members) {
  return Json::parse(R"({
    "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1,
    "num_attention_heads": 2, "intermediate_size": 24, "attention_window": 4,
    "max_position_embeddings": 130, "type_vocab_size": 1,
    "layer_norm_eps": 1e-5, "hidden_act": "gelu", "pad_token_id": 1)" +
                     members + "}");
}

std::vector<std::string> labels(const std::string& members,
                                ConfigUse use = ConfigUse::kModel) {
  return parse_model_config(with(members), "c", {.use = use}).labels;
}

std::string refusal(const std::string& members) {
  try {
    labels(members);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(ConfigLabelsTest, AreOrderedByTheirIdsNotAsWritten) {
  std::string members = R"(, "id2label": {)";
  std::vector<std::string> expected;
  for (const char* id :
       {"10", "11", "0", "1", "2", "3", "4", "5", "6", "7", "8"}) {
    members += "\"" + std::string(id) + "\": \"L" + id + "\", ";
  }
  for (int id = 0; id < 12; ++id) expected.push_back("L" + std::to_string(id));
  EXPECT_EQ(labels(members + R"("9": "L9"})"), expected);
}

TEST(ConfigLabelsTest, ComeFromLabel2idIfThatIsAllThereIs) {
  EXPECT_THAT(labels(R"(, "label2id": {"b": 1, "a": 0})"),
              ElementsAre("a", "b"));
}

TEST(ConfigLabelsTest, Id2labelDecidesWhenTheTwoDisagree) {
  EXPECT_THAT(labels(R"(, "id2label": {"0": "x", "1": "y"},
                       "label2id": {"LABEL_0": 0, "LABEL_1": 1})"),
              ElementsAre("x", "y"));
}

TEST(ConfigLabelsTest, HaveHuggingFacesNamesWhenNoneAreGiven) {
  EXPECT_THAT(labels(""), ElementsAre("LABEL_0", "LABEL_1"));
  EXPECT_THAT(labels(R"(, "num_labels": 3)"),
              ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
  EXPECT_THAT(labels(R"(, "num_labels": 3)", ConfigUse::kArchitecture),
              IsEmpty());
  EXPECT_THAT(labels(R"(, "id2label": null)"),
              ElementsAre("LABEL_0", "LABEL_1"));
}

TEST(ConfigLabelsTest, ArchitecturesMayNameTheirs) {
  EXPECT_THAT(labels(R"(, "id2label": {"0": "x"})", ConfigUse::kArchitecture),
              ElementsAre("x"));
}

TEST(ConfigLabelsTest, GapsRepetitionsAndWrongTypesAreNamed) {
  for (const char* map :
       {R"({"0": "a", "2": "b"})", R"({"1": "a"})", R"({"0": "a", "-1": "b"})",
        R"({"0": "a", "00": "b"})", R"({"0": "a", "x": "b"})",
        R"({"0": "a", "99999999999999999999": "b"})", R"({"0": 3})",
        R"({"0": "a", "1": "a"})", R"({})", R"([])", R"("a")"}) {
    EXPECT_THAT(refusal(R"(, "id2label": )" + std::string(map)),
                HasSubstr("id2label"))
        << map;
  }
  for (const char* map :
       {R"({"a": 0, "b": 0})", R"({"a": 1})", R"({"a": "0"})", R"({"a": -1})",
        R"({"a": 0.0})", R"({"a": 18446744073709551615})"}) {
    EXPECT_THAT(refusal(R"(, "label2id": )" + std::string(map)),
                HasSubstr("label2id"))
        << map;
  }
  EXPECT_THAT(refusal(R"(, "num_labels": 0)"), HasSubstr("num_labels"));
}

}  // namespace
}  // namespace longformer
