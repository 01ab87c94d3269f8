// SPDX-License-Identifier: MIT
//
// A vocabulary appears complete or not at all, and never over another.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/file_system.h"

#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenizerTrainTest : public ProgramTest {
 protected:
  TokenizerTrainTest() {
    std::string rows;
    for (int i = 0; i < 50; ++i) {
      rows += "{\"text\": \"row number " + std::to_string(i) + " of many\"}\n";
    }
    write("rows.jsonl", rows);
  }

  RunResult train(const std::vector<std::string>& more) const {
    return run(with({"tokenizer", "train", "--data", "rows.jsonl"}, more));
  }
  std::size_t num_entries() const {
    return list_directory(directory_.path().string()).size();
  }
};

TEST_F(TokenizerTrainTest, WhatIsThereIsNotMixedWithTheNewFiles) {
  write("full/notes.txt", "mine");
  const RunResult full = train({"--vocab-size", "30", "--output", "full"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.standard_error, HasSubstr("full: exists already"));
  EXPECT_THAT(full.standard_error, Not(HasSubstr("read as")));
  EXPECT_EQ(list_directory(path("full")).size(), 1U);
  create_directories(path("empty"));
  EXPECT_EQ(train({"--vocab-size", "30", "--output", "empty"}).exit_code, 0);
  EXPECT_TRUE(exists(path("empty/tokenizer.json")));
  EXPECT_EQ(train({"--vocab-size", "30", "--output", "a/b"}).exit_code, 0);
  EXPECT_EQ(train({"--vocab-size", "30", "--output", "a/b"}).exit_code, 2);
}

TEST_F(TokenizerTrainTest, FailuresSayWhatIsPossibleAndLeaveNothing) {
  const std::size_t before = num_entries();
  const RunResult many = train({"--vocab-size", "5000", "--output", "a/b"});
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.standard_error,
              AllOf(HasSubstr("too many for rows.jsonl, which give at most "),
                    Not(HasSubstr(".cc(")), Not(HasSubstr("Internal"))));
  const RunResult few = train({"--vocab-size", "16", "--output", "a/b"});
  EXPECT_EQ(few.exit_code, 2);
  EXPECT_THAT(few.standard_error,
              AllOf(HasSubstr("too few"), HasSubstr("ask for at least ")));
  const RunResult coverage =
      train({"--character-coverage", "0.9", "--output", "a/b"});
  EXPECT_EQ(coverage.exit_code, 2);
  EXPECT_THAT(coverage.standard_error, HasSubstr("0.98"));
  EXPECT_EQ(num_entries(), before);
}

TEST_F(TokenizerTrainTest, TheLimitsThatAreNamedWork) {
  for (const auto& [size, words] :
       {std::pair{"5000", "at most "}, {"16", "at least "}}) {
    const std::string message =
        train({"--vocab-size", size, "--output", "t"}).standard_error;
    const std::size_t at = message.rfind(words);
    ASSERT_NE(at, std::string::npos) << message;
    const std::string limit = std::to_string(
        std::stoi(message.substr(at + std::string(words).size())));
    const RunResult result =
        train({"--vocab-size", limit, "--output", "of-" + limit});
    EXPECT_EQ(result.exit_code, 0) << limit << result.standard_error;
  }
}

TEST_F(TokenizerTrainTest, FilesWithoutTextAreUnusableData) {
  write("blank.jsonl", "{\"text\": \" \"}\n");
  const RunResult result =
      run({"tokenizer", "train", "--data", "blank.jsonl", "--output", "t"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              HasSubstr("blank.jsonl: there is no text"));
  EXPECT_FALSE(exists(path("t")));
}

}  // namespace
}  // namespace longformer::test
