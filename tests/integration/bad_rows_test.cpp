// SPDX-License-Identifier: MIT
//
// A row that cannot be used is named by file, line and column, before anything
// is trained; skipping it is a choice and is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BadRowsTest : public ProgramTest {
 protected:
  BadRowsTest() { write_text_model("tiny", tiny_config()); }

  RunResult train(const std::string& data,
                  const std::vector<std::string>& more = {}) const {
    return run(
        with({"train", "--model", "tiny", "--train-data", data, "--output-dir",
              "run", "--max-steps", "1", "--threads", "1"},
             more));
  }
};

// rai-toolkit issue 82: "line 1" and no file name.
TEST_F(BadRowsTest, TheFirstBadLineOfSevenIsNamed) {
  const std::string data = write("seven.jsonl",
                                 "{\"text\": \"one\", \"label\": 0}\n"
                                 "\n"
                                 "{\"text\": \"two\", \"label\": 1}\n"
                                 "{\"text\": \n"
                                 "[]\n"
                                 "{\"text\": \"three\", \"label\": 0}\r\n"
                                 "{\"text\": \"four\", \"label\": 1}");
  const RunResult refused = train(data);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.standard_error, HasSubstr("seven.jsonl:4"));
  EXPECT_FALSE(std::filesystem::exists(path("run/run.json")));

  const RunResult skipped = train(data, {"--max-bad-rows", "2"});
  ASSERT_EQ(skipped.exit_code, 0) << skipped.standard_error;
  EXPECT_THAT(skipped.standard_error,
              AllOf(HasSubstr("seven.jsonl:4"), HasSubstr("seven.jsonl:5"),
                    HasSubstr("4 documents"), HasSubstr("2 bad rows")));

  std::filesystem::remove_all(path("run"));
  const RunResult one = train(data, {"--max-bad-rows", "1"});
  EXPECT_EQ(one.exit_code, 3);
  EXPECT_THAT(one.standard_error,
              AllOf(HasSubstr("seven.jsonl:5"), HasSubstr("max_bad_rows")));
}

TEST_F(BadRowsTest, EveryKindOfBadRowSaysWhatIsWrong) {
  const std::string good =
      "{\"text\": \"one\", \"label\": \"a\"}\n"
      "{\"text\": \"two\", \"label\": \"b\"}\n";
  const std::vector<std::pair<std::string, std::string>> rows{
      {"{\"text\": \"a\", \"text\": \"b\", \"label\": \"a\"}", "text"},
      {"{\"text\": 3, \"label\": \"a\"}", "text"},
      {"{\"text\": null, \"label\": \"a\"}", "text"},
      {"{\"label\": \"a\"}", "text"},
      {"{\"text\": \"x\"}", "label"},
      {"{\"text\": \"x\", \"label\": null}", "label"},
      {"{\"text\": \"x\", \"label\": {\"a\": 1}}", "label"},
      {"\"text\"", "object"},
      {"7", "object"},
      {"{\"text\": \"x\", \"label\": \"a\"} trailing", ""},
      {"{'text': 'x', 'label': 'a'}", ""},
      {"{\"text\": \"x\", \"label\": NaN}", ""},
  };
  for (const auto& [row, word] : rows) {
    const std::string data = write("rows.jsonl", good + row + "\n");
    const RunResult result = train(data);
    EXPECT_EQ(result.exit_code, 3) << row;
    EXPECT_THAT(result.standard_error,
                AllOf(HasSubstr("rows.jsonl:3"), HasSubstr(word)))
        << row;
  }
}

TEST_F(BadRowsTest, MixedKindsOfLabelsNameTheRow) {
  const std::string data = write("rows.jsonl",
                                 "{\"text\": \"one\", \"label\": \"a\"}\n"
                                 "{\"text\": \"two\", \"label\": [\"b\"]}\n");
  const RunResult result = train(data);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("rows.jsonl:2"));
}

TEST_F(BadRowsTest, CsvRowsAreNamedByLine) {
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, std::string>>{
           {"text,label\none,a\n\"two\nlines\",b\nthree\n", "rows.csv:5"},
           {"text,label\none,a\ntwo,b,c\n", "rows.csv:3"},
           {"text,label\none,a\n\"two,b\n", "rows.csv:3"}}) {
    const RunResult result = train(write("rows.csv", text));
    EXPECT_EQ(result.exit_code, 3) << text;
    EXPECT_THAT(result.standard_error, HasSubstr(place)) << text;
  }
}

TEST_F(BadRowsTest, AMissingColumnNamesWhatIsThere) {
  const RunResult result = train(write("rows.csv", "body,label\none,a\n"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("text"), HasSubstr("body")));
}

TEST_F(BadRowsTest, OnlyOneClassIsNothingToLearn) {
  const RunResult result =
      train(write("rows.csv", "text,label\none,a\ntwo,a\n"),
            {"--reinit-head", "true"});
  EXPECT_EQ(result.exit_code, 3);
}

TEST_F(BadRowsTest, BlankLinesAndRowsOfOtherFilesCount) {
  write("a.jsonl", "\n\n{\"text\": \"one\", \"label\": \"a\"}\n");
  write("b.jsonl", "{\"text\": \"two\", \"label\": \"b\"}\n\nbad\n");
  const RunResult result =
      train(path("a.jsonl"), {"--train-data", path("b.jsonl")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("b.jsonl:3"));
}

}  // namespace
}  // namespace longformer::test
