// SPDX-License-Identifier: MIT
#include "longformer/data/encode_document.h"

#include <gmock/gmock.h>

#include "fake_tokenizer.h"
#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

EncodeOptions options() {
  EncodeOptions options;
  options.max_length = 8;
  options.vocab_size = 260;
  options.max_position_embeddings = 130;
  return options;
}

Record text_record(const std::string& text) {
  Record record;
  record.text = text;
  return record;
}

Record id_record(std::vector<std::int32_t> ids) {
  Record record;
  record.input_ids = std::move(ids);
  return record;
}

constexpr std::int32_t kA = 4 + 'a';

TEST(EncodeDocumentTest, PutsTextIntoTheTemplate) {
  const FakeTokenizer tokenizer;
  const auto document =
      encode_document(text_record("ab"), &tokenizer, options());
  EXPECT_THAT(document.ids, ElementsAre(0, kA, kA + 1, 2));
  EXPECT_EQ(document.global_prefix, 1);
  EXPECT_FALSE(document.global_positions.has_value());
  EXPECT_EQ(document.cut_tokens, 0);
}

TEST(EncodeDocumentTest, CutsTextAndCountsWhatIsLost) {
  const FakeTokenizer tokenizer;
  const auto document =
      encode_document(text_record("aaaaaaaaaa"), &tokenizer, options());
  EXPECT_THAT(document.ids, ElementsAre(0, kA, kA, kA, kA, kA, kA, 2));
  EXPECT_EQ(document.cut_tokens, 4);
}

TEST(EncodeDocumentTest, CutsIdsButKeepsTheLast) {
  auto record = id_record({0, 10, 11, 12, 13, 14, 15, 16, 17, 2});
  record.token_type_ids = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  record.global_attention = {0, 5, 7, 9};
  auto with_types = options();
  with_types.type_vocab_size = 2;
  const auto document = encode_document(record, nullptr, with_types);
  EXPECT_THAT(document.ids, ElementsAre(0, 10, 11, 12, 13, 14, 15, 2));
  EXPECT_THAT(document.token_types, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(*document.global_positions, ElementsAre(0, 5, 7));
  EXPECT_EQ(document.cut_tokens, 2);
}

TEST(EncodeDocumentTest, StoresLeadingGlobalsAsAPrefix) {
  auto record = id_record({0, 5, 6, 2});
  record.global_attention = std::vector<std::int32_t>{0, 1, 2};
  EXPECT_EQ(encode_document(record, nullptr, options()).global_prefix, 3);
  record.global_attention = std::vector<std::int32_t>{};
  const auto none = encode_document(record, nullptr, options());
  EXPECT_EQ(none.global_prefix, 0);
  EXPECT_FALSE(none.global_positions.has_value());
  record.global_attention = std::vector<std::int32_t>{1};
  EXPECT_THAT(*encode_document(record, nullptr, options()).global_positions,
              ElementsAre(1));
}

TEST(EncodeDocumentTest, CountsGlobalsBehindTheCutAndFallsBackOnTheDefault) {
  auto shorter = options();
  shorter.max_length = 3;
  auto record = id_record({0, 5, 6, 7, 2});
  record.global_attention = std::vector<std::int32_t>{1, 2, 3};
  const auto some = encode_document(record, nullptr, shorter);
  EXPECT_EQ(some.lost_globals, 2);
  EXPECT_THAT(*some.global_positions, ElementsAre(1));
  record.global_attention = std::vector<std::int32_t>{2, 3};
  const auto none = encode_document(record, nullptr, shorter);
  EXPECT_EQ(none.lost_globals, 2);
  EXPECT_EQ(none.global_prefix, 1);
  EXPECT_FALSE(none.global_positions.has_value());
}

TEST(EncodeDocumentTest, MakesTheFirstSegmentGlobalForQuestions) {
  const FakeTokenizer tokenizer;
  auto for_questions = options();
  for_questions.global_policy = GlobalPolicy::kFirstSegment;
  auto record = text_record("ab");
  record.text_pair = "a";
  EXPECT_EQ(encode_document(record, &tokenizer, for_questions).global_prefix,
            3);
  record.text = "";
  EXPECT_EQ(encode_document(record, &tokenizer, for_questions).global_prefix,
            1);
  EXPECT_THAT(data_error([&] {
                encode_document(id_record({0, 2}), nullptr, for_questions);
              }),
              HasSubstr("global_attention"));
}

// Known failure R03: ids and lengths beyond the tables crashed later.
TEST(EncodeDocumentTest, RefusesIdsOutsideTheVocabulary) {
  for (const std::int32_t id : {260, -1}) {
    EXPECT_THAT(data_error([&] {
                  encode_document(id_record({0, id}), nullptr, options());
                }),
                AllOf(HasSubstr("token id " + std::to_string(id)),
                      HasSubstr("position 1"), HasSubstr("260")));
  }
  auto record = id_record({0, 2});
  record.token_type_ids = {0, 1};
  EXPECT_THAT(data_error([&] { encode_document(record, nullptr, options()); }),
              HasSubstr("token type 1"));
}

TEST(EncodeDocumentTest, RefusesGlobalPositionsOutsideTheDocument) {
  auto record = id_record({0, 2});
  record.global_attention = std::vector<std::int32_t>{2};
  EXPECT_THAT(data_error([&] { encode_document(record, nullptr, options()); }),
              AllOf(HasSubstr("position 2"), HasSubstr("2 tokens")));
}

TEST(EncodeDocumentTest, RefusesADocumentWithoutTokens) {
  EXPECT_THAT(
      data_error([&] { encode_document(id_record({}), nullptr, options()); }),
      HasSubstr("empty"));
}

TEST(EncodeDocumentTest, RefusesTextWithoutTokenizer) {
  EXPECT_THAT(data_error([&] {
                encode_document(text_record("a"), nullptr, options());
              }),
              HasSubstr("tokenizer"));
}

// Known failure R03: 130 position rows hold 128 tokens when the padding id is
// 1, and 109 when it is 20.
TEST(EncodeOptionsTest, KnowTheUsableLength) {
  auto checked = options();
  checked.max_length = 128;
  EXPECT_NO_THROW(check_encode_options(checked));
  checked.max_length = 129;
  try {
    check_encode_options(checked);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("129"), HasSubstr("1 to 128")));
  }
  checked.pad_token_id = 20;
  EXPECT_EQ(usable_length(checked), 109);
  checked.max_length = 110;
  EXPECT_THROW(check_encode_options(checked), ConfigError);
  checked.max_length = 0;
  EXPECT_THROW(check_encode_options(checked), ConfigError);
}

}  // namespace
}  // namespace longformer::test
