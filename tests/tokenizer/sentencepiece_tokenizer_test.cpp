// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void write_model(const TempDir& directory, std::string_view name = "a.model") {
  directory.write(name, read_file(spm_golden("unigram.model")));
}

std::unique_ptr<Tokenizer> load(const TempDir& directory,
                                const TokenizerOptions& options = {}) {
  return load_tokenizer(directory.path().string(), options);
}

std::string error_of(const TempDir& directory) {
  try {
    load(directory);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

void say_xlmr(const TempDir& directory) {
  directory.write("tokenizer_config.json",
                  R"({"tokenizer_class": "XLMRobertaTokenizerFast"})");
}

TEST(SentencePieceTokenizerTest, OffsetIsOnOnlyWhenTheClassSaysSo) {
  const TempDir directory;
  write_model(directory);
  const auto plain = load(directory);
  EXPECT_EQ(plain->vocabulary_size(), 2000);
  EXPECT_EQ(plain->special_tokens().unk, 0);
  say_xlmr(directory);
  const auto xlmr = load(directory);
  EXPECT_EQ(xlmr->vocabulary_size(), 2002);
  EXPECT_EQ(xlmr->special_tokens().unk, 3);
  EXPECT_EQ(xlmr->special_tokens().mask, 2001);
  EXPECT_EQ(xlmr->special_tokens().pad, 1);
  Ids plain_ids;
  Ids xlmr_ids;
  plain->encode_ordinary("the \u2603", plain_ids);
  xlmr->encode_ordinary("the \u2603", xlmr_ids);
  EXPECT_EQ(plain_ids.back(), 0);
  EXPECT_EQ(xlmr_ids.back(), 3);
  EXPECT_EQ(xlmr_ids.front(), plain_ids.front() + 1);
}

TEST(SentencePieceTokenizerTest, EmbeddingTableOfThePlainSizeIsRefused) {
  const TempDir directory;
  write_model(directory);
  say_xlmr(directory);
  const auto tokenizer = load(directory);
  EXPECT_THROW(check_embedding_rows(*tokenizer, 2001, "model"), ModelError);
  EXPECT_NO_THROW(check_embedding_rows(*tokenizer, 2003, "model"));
}

TEST(SentencePieceTokenizerTest, OtherClassesAreRefusedByName) {
  const TempDir directory;
  write_model(directory, "sentencepiece.bpe.model");
  directory.write("tokenizer_config.json",
                  R"({"tokenizer_class": "CamembertTokenizer"})");
  EXPECT_THAT(error_of(directory), HasSubstr("CamembertTokenizer"));
}

TEST(SentencePieceTokenizerTest, SeveralModelsAreRefused) {
  const TempDir directory;
  write_model(directory, "a.model");
  write_model(directory, "b.model");
  EXPECT_TRUE(has_tokenizer(directory.path().string()));
  EXPECT_THAT(error_of(directory), HasSubstr("several"));
}

TEST(SentencePieceTokenizerTest, SpecialTokensInTextCanBeOrdinaryText) {
  const TempDir directory;
  write_model(directory);
  say_xlmr(directory);
  EXPECT_THAT(load(directory)->encode("</s>").ids, ElementsAre(0, 2, 2));
  TokenizerOptions options;
  options.special_tokens_in_text = false;
  const Ids ids = load(directory, options)->encode("a</s>b<mask>").ids;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 2), 1);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 2001), 0);
}

TEST(SentencePieceTokenizerTest, OffsetsLeaveOutWhiteSpace) {
  const TempDir directory;
  write_model(directory);
  std::vector<TokenOffset> offsets;
  Ids ids;
  load(directory)->encode_ordinary("  the\u3000 the", ids, &offsets);
  EXPECT_THAT(offsets, ElementsAre(TokenOffset(2, 5), TokenOffset(7, 10)));
}

TEST(SentencePieceTokenizerTest, DecodeJoinsPieces) {
  const TempDir directory;
  write_model(directory);
  say_xlmr(directory);
  const auto tokenizer = load(directory);
  const Ids ids = tokenizer->encode("the document of the").ids;
  EXPECT_EQ(tokenizer->decode(ids, true), "the document of the");
  EXPECT_EQ(tokenizer->decode(ids, false), "<s> the document of the</s>");
  EXPECT_THROW(tokenizer->decode(Ids{2002}, true), DataError);
}

TEST(SentencePieceTokenizerTest, LongTextsInPartsGiveTheIdsOfTheWhole) {
  const TempDir directory;
  write_model(directory);
  const auto tokenizer = load(directory);
  Ids sentence;
  tokenizer->encode_ordinary("the words, of 12 documents", sentence);
  Ids all;
  std::string text;
  Ids expected;
  while (text.size() < 200'000) {
    text += "the words, of 12 documents ";
    expected.insert(expected.end(), sentence.begin(), sentence.end());
  }
  tokenizer->encode_ordinary(text, all);
  EXPECT_EQ(all, expected);
}

TEST(SentencePieceTokenizerTest, SavedDirectoryGivesTheSameIds) {
  const TempDir directory;
  write_model(directory, "sentencepiece.bpe.model");
  directory.write("config.json", R"({"model_type": "xlm-roberta"})");
  const auto tokenizer = load(directory);
  EXPECT_EQ(tokenizer->vocabulary_size(), 2002);
  const TempDir target;
  tokenizer->save(target.path().string());
  EXPECT_EQ(load(target)->encode("the <mask> words").ids,
            tokenizer->encode("the <mask> words").ids);
}

TEST(LoadTokenizerTest, DirectoryWithoutTokenizerIsAnError) {
  const TempDir directory;
  EXPECT_FALSE(has_tokenizer(directory.path().string()));
  EXPECT_THAT(error_of(directory), HasSubstr("no tokenizer"));
  EXPECT_FALSE(has_tokenizer((directory / "absent").string()));
  EXPECT_THROW(load_tokenizer((directory / "absent").string()), ModelError);
}

}  // namespace
}  // namespace longformer::test
