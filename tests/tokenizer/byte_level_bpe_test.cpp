// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/tiny_tokenizers.h"

namespace longformer::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

std::unique_ptr<Tokenizer> load(const TempDir& directory,
                                const TokenizerOptions& options = {}) {
  return load_tokenizer(directory.path().string(), options);
}

/// vocab.json and merges.txt of the tiny tokenizer.
void write_two_files(const TempDir& directory, const TinyBpe& bpe = TinyBpe()) {
  directory.write("vocab.json", bpe.vocab_json());
  directory.write("merges.txt", bpe.merges_txt());
}

void write_one_file(const TempDir& directory, const Json& json) {
  directory.write("tokenizer.json", json.dump());
}

std::string error_of(const TempDir& directory) {
  try {
    load(directory);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> list = {"hello hello",
                                                "#### heading ########",
                                                "# $",
                                                "#$#$",
                                                "x</s>y <mask> z",
                                                "  \n\t ",
                                                "",
                                                "\xE4\xB8\xAD"};
  return list;
}

void expect_same_ids(const Tokenizer& a, const Tokenizer& b) {
  for (const std::string& text : texts()) {
    EXPECT_EQ(a.encode(text).ids, b.encode(text).ids) << text;
  }
}

TEST(ByteLevelBpeTest, MergesBytesToTokens) {
  const TempDir directory;
  write_two_files(directory);
  const TinyBpe bpe;
  EXPECT_THAT(load(directory)->encode("hello hello").ids,
              ElementsAre(0, bpe.merge_id(3), bpe.merge_id(4), 2));
  EXPECT_THAT(
      load(directory)->encode("help").ids,
      ElementsAre(0, bpe.merge_id(0), bpe.byte_id('l'), bpe.byte_id('p'), 2));
}

TEST(ByteLevelBpeTest, MergesAsStringsPairsAndLinesAreEqual) {
  const TempDir lines;
  write_two_files(lines);
  const auto expected = load(lines);
  for (const bool pairs : {false, true}) {
    const TempDir directory;
    write_one_file(directory, TinyBpe().tokenizer_json(pairs));
    expect_same_ids(*load(directory), *expected);
  }
}

TEST(ByteLevelBpeTest, MergesFileMayLackHeaderAndFinalNewlineOrHaveCrLf) {
  const TempDir plain;
  write_two_files(plain);
  const auto expected = load(plain);
  const std::string text = TinyBpe().merges_txt();
  const std::string without_header = text.substr(text.find('\n') + 1);
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& form :
       {without_header, text.substr(0, text.size() - 1), crlf, text + "\n\n"}) {
    const TempDir directory;
    write_two_files(directory);
    directory.write("merges.txt", form);
    expect_same_ids(*load(directory), *expected);
  }
}

TEST(ByteLevelBpeTest, MergesThatStartWithHashAreNotComments) {
  const TempDir directory;
  write_two_files(directory);
  const TinyBpe bpe;
  EXPECT_THAT(load(directory)->encode("####").ids,
              ElementsAre(0, bpe.merge_id(6), 2));
  EXPECT_THAT(load(directory)->encode("#$").ids,
              ElementsAre(0, bpe.merge_id(7), 2));
}

TEST(ByteLevelBpeTest, MergeWithoutItsTokenIsAnErrorWithTheLine) {
  const TempDir directory;
  write_two_files(directory);
  directory.write("merges.txt", TinyBpe().merges_txt() + "q q\n");
  EXPECT_THAT(error_of(directory), HasSubstr("merges.txt:10"));
  EXPECT_THAT(error_of(directory), HasSubstr("\"qq\""));
}

TEST(ByteLevelBpeTest, MergeThatIsNoPairIsAnErrorWithTheLine) {
  for (const char* line : {"abc\n", "a b c\n", " b\n", "a \n", "\nh e\n"}) {
    const TempDir directory;
    write_two_files(directory);
    directory.write("merges.txt", TinyBpe().merges_txt() + line);
    EXPECT_THAT(error_of(directory), HasSubstr("merges.txt:10")) << line;
  }
}

TEST(ByteLevelBpeTest, CutMergesFileIsAnError) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'j'; ++b) {
      merges.emplace_back(std::string(1, a), std::string(1, b));
    }
  }
  const TinyBpe bpe(merges);
  const TempDir directory;
  write_two_files(directory, bpe);
  EXPECT_EQ(error_of(directory), "no error");
  directory.write("merges.txt", bpe.merges_txt().substr(0, 502));
  EXPECT_THAT(error_of(directory), HasSubstr("seems to be cut"));
}

TEST(ByteLevelBpeTest, OneOfTwoFilesIsNotEnough) {
  const TempDir directory;
  directory.write("vocab.json", TinyBpe().vocab_json());
  EXPECT_THAT(error_of(directory), HasSubstr("merges.txt"));
}

TEST(ByteLevelBpeTest, TwoTokensWithOneIdAreAnError) {
  const TempDir directory;
  write_two_files(directory);
  Json vocabulary = Json::parse(TinyBpe().vocab_json());
  vocabulary["again"] = 7;
  directory.write("vocab.json", vocabulary.dump());
  EXPECT_THAT(error_of(directory), HasSubstr("both have id 7"));
}

TEST(ByteLevelBpeTest, RefusesWhatWouldChangeIdsSilently) {
  const auto with = [](const char* pointer, const Json& value) {
    Json json = TinyBpe().tokenizer_json(true);
    json[Json::json_pointer(pointer)] = value;
    const TempDir directory;
    write_one_file(directory, json);
    return error_of(directory);
  };
  EXPECT_THAT(with("/model/dropout", 0.1), HasSubstr("dropout"));
  EXPECT_THAT(with("/model/byte_fallback", true), HasSubstr("byte_fallback"));
  EXPECT_THAT(with("/model/end_of_word_suffix", "</w>"),
              HasSubstr("end_of_word_suffix"));
  EXPECT_THAT(with("/model/type", "WordPiece"), HasSubstr("WordPiece"));
  EXPECT_THAT(with("/normalizer", Json{{"type", "NFC"}}),
              HasSubstr("normalizer"));
  EXPECT_THAT(with("/pre_tokenizer", Json{{"type", "Metaspace"}}),
              HasSubstr("Metaspace"));
  EXPECT_THAT(with("/post_processor", Json{{"type", "BertProcessing"}}),
              HasSubstr("BertProcessing"));
  EXPECT_THAT(with("/added_tokens/0/id", 77), HasSubstr("<s>"));
  EXPECT_EQ(with("/model/dropout", nullptr), "no error");
}

TEST(ByteLevelBpeTest, MaskSwallowsTheBlankBeforeIt) {
  const TempDir directory;
  write_two_files(directory);
  const TinyBpe bpe;
  EXPECT_THAT(load(directory)->encode("a \u3000<mask> z").ids,
              ElementsAre(0, bpe.byte_id('a'), bpe.mask_id(), bpe.byte_id(' '),
                          bpe.byte_id('z'), 2));
}

TEST(ByteLevelBpeTest, SpecialTokensInTextCanBeOrdinaryText) {
  const TempDir directory;
  write_two_files(directory);
  TokenizerOptions options;
  options.special_tokens_in_text = false;
  EXPECT_EQ(load(directory)->encode("a</s>").ids.size(), 4U);
  const Encoding encoding = load(directory, options)->encode("a</s>");
  EXPECT_EQ(encoding.ids.size(), 2U + 5U);
  EXPECT_NE(load(directory)->fingerprint(),
            load(directory, options)->fingerprint());
}

TEST(ByteLevelBpeTest, PrefixBlankComesFromFilesAndOptions) {
  const TempDir directory;
  write_two_files(directory);
  const TinyBpe bpe;
  const Ids without = {0, bpe.merge_id(3), 2};
  const Ids with = {0, bpe.merge_id(4), 2};
  EXPECT_EQ(load(directory)->encode("hello").ids, without);
  TokenizerOptions options;
  options.add_prefix_space = true;
  EXPECT_EQ(load(directory, options)->encode("hello").ids, with);
  EXPECT_EQ(load(directory, options)->encode(" hello").ids, with);
  directory.write("tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_EQ(load(directory)->encode("hello").ids, with);
}

TEST(ByteLevelBpeTest, DecodeUndoesEncode) {
  const TempDir directory;
  write_two_files(directory);
  const auto tokenizer = load(directory);
  for (const std::string& text :
       {std::string("hello<mask> \xE4\xB8\xAD\n"), std::string("a\0b", 3)}) {
    const Ids ids = tokenizer->encode(text).ids;
    EXPECT_EQ(tokenizer->decode(ids, false), "<s>" + text + "</s>");
  }
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("hello").ids, true), "hello");
  EXPECT_EQ(tokenizer->decode(Ids{TinyBpe().byte_id(0xE4)}, true), "\uFFFD");
  EXPECT_THROW(tokenizer->decode(Ids{999999}, true), DataError);
  EXPECT_THROW(tokenizer->decode(Ids{-1}, true), DataError);
}

TEST(ByteLevelBpeTest, SavedDirectoryGivesTheSameIds) {
  for (const bool one_file : {false, true}) {
    const TempDir source;
    if (one_file) {
      write_one_file(source, TinyBpe().tokenizer_json(true));
    } else {
      write_two_files(source);
    }
    TokenizerOptions options;
    options.add_prefix_space = true;
    const auto tokenizer = load(source, options);
    const TempDir target;
    tokenizer->save(target.path().string());
    const auto again = load(target);
    expect_same_ids(*again, *tokenizer);
    const TempDir third;
    again->save(third.path().string());
    EXPECT_EQ(load(third)->fingerprint(), again->fingerprint());
  }
}

TEST(ByteLevelBpeTest, TokensOfConfigFilesAreAdded) {
  const TempDir directory;
  write_two_files(directory);
  const int next = TinyBpe().mask_id() + 1;
  directory.write("added_tokens.json", Json{{"[NEW]", next}}.dump());
  const auto tokenizer = load(directory);
  EXPECT_EQ(tokenizer->vocabulary_size(), next + 1);
  EXPECT_THAT(tokenizer->encode("[NEW]").ids, ElementsAre(0, next, 2));
  EXPECT_EQ(tokenizer->token_text(next), "[NEW]");
  EXPECT_EQ(tokenizer->token_id("[NEW]"), next);
}

TEST(ByteLevelBpeTest, EmbeddingTableMustHoldAllIds) {
  const TempDir directory;
  write_two_files(directory);
  const auto tokenizer = load(directory);
  const std::int64_t size = tokenizer->vocabulary_size();
  EXPECT_THROW(check_embedding_rows(*tokenizer, size - 1, "model"), ModelError);
  EXPECT_NO_THROW(check_embedding_rows(*tokenizer, size, "model"));
  EXPECT_NO_THROW(check_embedding_rows(*tokenizer, size + 1, "model"));
}

TEST(ByteLevelBpeTest, IllFormedUtf8IsReplacedAndNulKept) {
  const TempDir directory;
  write_two_files(directory);
  const auto tokenizer = load(directory);
  EXPECT_EQ(tokenizer->encode("a\xFF\xE2\x80z").ids,
            tokenizer->encode("a\uFFFD\uFFFDz").ids);
  const TinyBpe bpe;
  EXPECT_THAT(
      tokenizer->encode(std::string("a\0b", 3)).ids,
      ElementsAre(0, bpe.byte_id('a'), bpe.byte_id(0), bpe.byte_id('b'), 2));
}

}  // namespace
}  // namespace longformer::test
