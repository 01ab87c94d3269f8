// SPDX-License-Identifier: MIT
#include "word_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/utf8.h"

#include "tokenizer/golden_tokenizers.h"
#include "unicode_classes.h"

namespace longformer::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  WordSplitter splitter(text);
  for (std::string_view word; splitter.next(word);) words.emplace_back(word);
  return words;
}

TEST(WordSplitterTest, BlankBelongsToTheWordAfterIt) {
  EXPECT_THAT(split("two words, 12 numbers"),
              ElementsAre("two", " words", ",", " 12", " numbers"));
}

TEST(WordSplitterTest, RunOfBlanksLeavesTheLastOne) {
  EXPECT_THAT(split("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(split("a  \nb"), ElementsAre("a", "  ", "\n", "b"));
  EXPECT_THAT(split("a   "), ElementsAre("a", "   "));
  EXPECT_THAT(split("\n"), ElementsAre("\n"));
}

TEST(WordSplitterTest, ContractionsAreWordsInLowerCaseOnly) {
  EXPECT_THAT(split("it's we'll DON'T"),
              ElementsAre("it", "'s", " we", "'ll", " DON", "'", "T"));
  EXPECT_THAT(split("'re've'm'd't'"),
              ElementsAre("'re", "'ve", "'m", "'d", "'t", "'"));
  EXPECT_THAT(split(" 's"), ElementsAre(" '", "s"));
}

TEST(WordSplitterTest, LettersNumbersAndTheRestAreApart) {
  EXPECT_THAT(split("x\u00b2\u2167y\u0301!?"),
              ElementsAre("x", "\u00b2\u2167", "y", "\u0301!?"));
}

TEST(WordSplitterTest, EmptyTextHasNoWords) { EXPECT_TRUE(split("").empty()); }

TEST(UnicodeClassesTest, EveryCodePointHasTheClassOfTheReference) {
  const Json json = read_json(bpe_golden("unicode_classes.json"));
  std::vector<CharClass> expected(0x110000, CharClass::kOther);
  const std::pair<const char*, CharClass> classes[] = {
      {"letter", CharClass::kLetter},
      {"number", CharClass::kNumber},
      {"space", CharClass::kSpace}};
  for (const auto& [name, kind] : classes) {
    for (const Json& range : json[name]) {
      for (auto code = range[0].get<std::size_t>();
           code <= range[1].get<std::size_t>(); ++code) {
        expected[code] = kind;
      }
    }
  }
  int differences = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    differences += unicode_classes().of(code) == expected[code] ? 0 : 1;
  }
  EXPECT_EQ(differences, 0);
}

}  // namespace
}  // namespace longformer::test
