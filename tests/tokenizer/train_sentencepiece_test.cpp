// SPDX-License-Identifier: MIT
#include "longformer/tokenizer/train_sentencepiece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"
#include "training_lines.h"

namespace longformer::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Hands out `texts` one by one.
TextSource source_of(const std::vector<std::string>& texts) {
  return [&texts, next = std::size_t{0}](std::string& text) mutable {
    if (next == texts.size()) return false;
    text = texts[next++];
    return true;
  };
}

/// Some source code, with tabs and long lines.
const std::vector<std::string>& code() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> list;
    for (int i = 0; i < 60; ++i) {
      const std::string n = std::to_string(i);
      list.push_back("func handle" + n + "(w http.ResponseWriter) {\n\tif err" +
                     " != nil {\n\t\treturn fmt.Errorf(\"reading %d: %w\", " +
                     n + ", err)\n\t}\n}\n// The quick brown fox " + n + "\n");
    }
    return list;
  }();
  return texts;
}

SentencePieceTraining small_vocabulary() {
  SentencePieceTraining settings;
  settings.vocabulary_size = 120;
  return settings;
}

TEST(TrainSentencePieceTest, DirectoryHasTheAskedForSizeAndXlmrIds) {
  const TempDir directory;
  SentencePieceTraining settings = small_vocabulary();
  settings.model_max_length = 2048;
  train_sentencepiece(settings, source_of(code()), directory.path().string());
  const auto tokenizer = load_tokenizer(directory.path().string());
  EXPECT_EQ(tokenizer->vocabulary_size(), 120);
  EXPECT_EQ(tokenizer->model_max_length(), 2048);
  EXPECT_EQ(tokenizer->special_tokens().cls, 0);
  EXPECT_EQ(tokenizer->special_tokens().pad, 1);
  EXPECT_EQ(tokenizer->special_tokens().sep, 2);
  EXPECT_EQ(tokenizer->special_tokens().unk, 3);
  EXPECT_EQ(tokenizer->special_tokens().mask, 119);
  EXPECT_EQ(tokenizer->token_text(119), "<mask>");
  const Ids ids =
      tokenizer->encode("func handle7(w http.Response)\n\treturn").ids;
  EXPECT_EQ(tokenizer->decode(ids, true),
            "func handle7(w http.Response) return");
}

TEST(TrainSentencePieceTest, TwoRunsGiveEqualFiles) {
  const TempDir a;
  const TempDir b;
  train_sentencepiece(small_vocabulary(), source_of(code()), a.path().string());
  train_sentencepiece(small_vocabulary(), source_of(code()), b.path().string());
  for (const char* name :
       {"sentencepiece.bpe.model", "tokenizer.json", "tokenizer_config.json"}) {
    EXPECT_EQ(read_file(a / name), read_file(b / name)) << name;
  }
}

TEST(TrainSentencePieceTest, ModelAloneGivesTheSameIdsForOrdinaryText) {
  const TempDir directory;
  train_sentencepiece(small_vocabulary(), source_of(code()),
                      directory.path().string());
  const auto both = load_tokenizer(directory.path().string());
  std::filesystem::remove(directory / "tokenizer.json");
  const auto alone = load_tokenizer(directory.path().string());
  EXPECT_NE(alone->description(), both->description());
  for (const std::string& text : code()) {
    EXPECT_EQ(alone->encode(text).ids, both->encode(text).ids) << text;
  }
}

TEST(TrainSentencePieceTest, PlainLayoutIsTheModels) {
  const TempDir directory;
  SentencePieceTraining settings = small_vocabulary();
  settings.xlmr_layout = false;
  settings.model_type = "bpe";
  train_sentencepiece(settings, source_of(code()), directory.path().string());
  const auto tokenizer = load_tokenizer(directory.path().string());
  EXPECT_EQ(tokenizer->vocabulary_size(), 120);
  EXPECT_EQ(tokenizer->special_tokens().unk, 0);
  EXPECT_EQ(tokenizer->special_tokens().pad, 3);
  EXPECT_EQ(tokenizer->encode("func").ids.front(), 1);
  EXPECT_EQ(tokenizer->encode("func").ids.back(), 2);
}

std::string error_of(const SentencePieceTraining& settings,
                     const TextSource& source) {
  const TempDir directory;
  try {
    train_sentencepiece(settings, source, directory.path().string());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainSentencePieceTest, ImpossibleSizesAreConfigErrors) {
  SentencePieceTraining settings = small_vocabulary();
  settings.vocabulary_size = 100'000;
  EXPECT_THAT(error_of(settings, source_of(code())),
              AllOf(HasSubstr("100000 tokens are too many"),
                    HasSubstr("ask for at most "), Not(HasSubstr(".cc"))));
  settings.vocabulary_size = 10;
  EXPECT_THAT(error_of(settings, source_of(code())),
              AllOf(HasSubstr("10 tokens are too few"),
                    HasSubstr("ask for at least "), Not(HasSubstr(".cc"))));
  settings.vocabulary_size = 5;
  EXPECT_THAT(error_of(settings, source_of(code())), HasSubstr("5 tokens"));
  const std::vector<std::string> blank = {"", " \n"};
  EXPECT_THAT(error_of(small_vocabulary(), source_of(blank)),
              HasSubstr("no text"));
  settings = small_vocabulary();
  settings.model_type = "bpe";
  EXPECT_THAT(error_of(settings, source_of(code())), HasSubstr("plain"));
}

TEST(TrainSentencePieceTest, ErrorsOfTheSourcePassThrough) {
  const TempDir directory;
  const TextSource source = [](std::string&) -> bool {
    throw DataError("row 7");
  };
  EXPECT_THROW(train_sentencepiece(small_vocabulary(), source,
                                   directory.path().string()),
               DataError);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::deque<std::string> lines;
  append_training_lines(text, lines);
  return {lines.begin(), lines.end()};
}

TEST(TrainingLinesTest, WhiteSpaceFoldsAndLinesEnd) {
  EXPECT_THAT(lines_of("\ta  b\u3000c\r\n\n\u2581d\u0085"),
              ElementsAre("a b c", "d"));
}

TEST(TrainingLinesTest, LongLinesAreCutAtBlanksAndLoseNothing) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "word" + std::to_string(i) + " ";
  std::string joined;
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(line.size(), kLongestTrainingLine);
    joined += line + " ";
  }
  EXPECT_EQ(joined, text);
}

TEST(TrainingLinesTest, LongWordsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "\u00E9";
  std::string joined;
  const auto lines = lines_of("x " + text);
  EXPECT_EQ(lines.front(), "x");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_LE(lines[i].size(), kLongestTrainingLine);
    EXPECT_EQ(lines[i].size() % 2, 0U);
    joined += lines[i];
  }
  EXPECT_EQ(joined, text);
}

}  // namespace
}  // namespace longformer::test
