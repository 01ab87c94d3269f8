// SPDX-License-Identifier: MIT
// Ids of the SentencePiece library and of XLMRobertaTokenizer.
#include <gtest/gtest.h>

#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

class SentencePieceGoldenTest : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Tokenizer> load(bool xlmr) const {
    const TempDir directory;
    directory.write("sentencepiece.bpe.model",
                    read_file(spm_golden(std::string(GetParam()) + ".model")));
    if (xlmr) {
      directory.write("tokenizer_config.json",
                      R"({"tokenizer_class": "XLMRobertaTokenizer"})");
    }
    return load_tokenizer(directory.path().string());
  }

  static std::vector<Json> rows() {
    return read_json_lines(spm_golden("strings.jsonl"));
  }
  Json info() const { return read_json(spm_golden("info.json"))[GetParam()]; }
};

TEST_P(SentencePieceGoldenTest, PlainIdsAreTheModels) {
  TokenizerOptions options;
  options.special_tokens_in_text = false;
  const TempDir directory;
  directory.write("a.model",
                  read_file(spm_golden(std::string(GetParam()) + ".model")));
  const auto tokenizer = load_tokenizer(directory.path().string(), options);
  EXPECT_EQ(tokenizer->vocabulary_size(), info()["pieces"]);
  ASSERT_EQ(rows().size(), 240U);
  for (const Json& row : rows()) {
    Ids ids;
    tokenizer->encode_ordinary(row["text"].get<std::string>(), ids);
    EXPECT_EQ(ids, row[GetParam()]["ids"].get<Ids>()) << row["id"];
  }
}

TEST_P(SentencePieceGoldenTest, XlmrIdsWithSpecialTokensInText) {
  const auto tokenizer = load(true);
  EXPECT_EQ(tokenizer->vocabulary_size(), info()["vocab_size_xlmr"]);
  EXPECT_EQ(tokenizer->special_tokens().mask, info()["mask_xlmr"]);
  EXPECT_EQ(tokenizer->special_tokens().unk, 3);
  EncodeSettings with_offsets;
  with_offsets.want_offsets = true;
  for (const Json& row : rows()) {
    const std::string text = row["text"];
    const Ids expected = row[GetParam()]["with_specials"].get<Ids>();
    EXPECT_EQ(tokenizer->encode(text).ids, expected) << row["id"];
    EXPECT_EQ(tokenizer->encode(text, with_offsets).ids, expected) << row["id"];
  }
}

TEST_P(SentencePieceGoldenTest, XlmrPairs) {
  const auto tokenizer = load(true);
  for (const Json& pair : read_json(spm_golden("info.json"))["pairs"]) {
    const Encoding encoding =
        tokenizer->encode(pair["first"].get<std::string>(),
                          pair["second"].get<std::string>(), {});
    EXPECT_EQ(encoding.ids, pair[GetParam()].get<Ids>()) << pair;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceGoldenTest,
                         testing::Values("unigram", "bpe"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace longformer::test
