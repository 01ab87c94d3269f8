// SPDX-License-Identifier: MIT
#include <string>
#include <variant>

#include <gmock/gmock.h>

#include "longformer/base/log.h"

#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using List = std::vector<LabelScalar>;

// Known failure R46: the error had neither file nor line.
const char* const kSevenLines =
    "{\"text\": \"a\", \"label\": \"x\"}\n"
    "\n"
    "{\"text\": \"b\", \"label\": \"x\"}\n"
    "{\"text\": \n"
    "[]\n"
    "{\"text\": \"c\", \"label\": \"x\"}\r\n"
    "{\"text\": \"d\", \"label\": \"x\"}";

TEST(JsonLinesReaderTest, NamesFileLineAndColumnOfABrokenRow) {
  EXPECT_THAT(reading_error("train.jsonl", kSevenLines),
              AllOf(HasSubstr("train.jsonl:4:"), HasSubstr("(row 3)"),
                    HasSubstr("fix the row")));
}

TEST(JsonLinesReaderTest, SaysWhatRowsThatAreSpreadOrWrappedShouldBe) {
  const char* const wanted = "one object a line or an array of objects";
  EXPECT_THAT(reading_error("a.json", "{\n  \"text\": \"a\"\n}\n"),
              HasSubstr(wanted));
  EXPECT_THAT(reading_error("a.json", "{\"data\": [{\"text\": \"a\"}]}"),
              AllOf(HasSubstr("\"data\""), HasSubstr(wanted)));
  EXPECT_THAT(reading_error("a.jsonl", "{\"text\": oops}\n"),
              Not(HasSubstr(wanted)));
}

TEST(JsonLinesReaderTest, NamesANumberThatIsTooLargeWithoutJargon) {
  EXPECT_THAT(
      reading_error("a.jsonl", "{\"text\": 1e999}\n"),
      AllOf(HasSubstr("number overflow"), Not(HasSubstr("json.exception"))));
}

TEST(JsonLinesReaderTest, SkipsBrokenRowsUpToTheLimit) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 2;
  const TempDir dir;
  RecordReader reader({dir.write("a.jsonl", kSevenLines).string()}, settings);
  std::vector<std::string> texts;
  Record record;
  while (reader.next(record)) texts.push_back(record.text);
  EXPECT_THAT(texts, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(reader.rows(), 4);
  EXPECT_EQ(reader.bad_rows(), 2);
}

TEST(JsonLinesReaderTest, HandsOutBrokenRowsOnRequest) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 2;
  settings.keep_bad_rows = true;
  const auto records = read_text("a.jsonl", kSevenLines, settings);
  ASSERT_EQ(records.size(), 6U);
  EXPECT_TRUE(records[1].error.empty());
  EXPECT_FALSE(records[2].error.empty());
  EXPECT_THAT(records[3].error, HasSubstr("not an object"));
  EXPECT_EQ(records[3].position.line, 5);
}

TEST(JsonLinesReaderTest, RefusesAKeyThatIsThereTwice) {
  EXPECT_THAT(reading_error("a.jsonl", "{\"text\": \"a\", \"text\": \"b\"}\n"),
              AllOf(HasSubstr("a.jsonl:1:"), HasSubstr("twice")));
}

TEST(JsonLinesReaderTest, ListsTheKeysWhenTheTextIsMissing) {
  EXPECT_THAT(reading_error("a.jsonl", "{\"Text\": \"a\", \"n\": 1}\n"),
              AllOf(HasSubstr("a.jsonl:1:1: "), HasSubstr("no key \"text\""),
                    HasSubstr("Text, n")));
}

TEST(JsonLinesReaderTest, RefusesTextThatIsNoString) {
  for (const std::string value : {"5", "null", "[\"a\"]", "{}", "true"}) {
    EXPECT_THAT(reading_error("a.jsonl", "{\"text\": " + value + "}\n"),
                HasSubstr("not a string"))
        << value;
  }
}

TEST(JsonLinesReaderTest, KeepsTheTypeOfLabels) {
  const auto records = read_text(
      "a.jsonl",
      "{\"text\": \"\", \"label\": \"3\"}\n{\"text\": \"\", \"label\": 3}\n"
      "{\"text\": \"\", \"label\": true}\n{\"text\": \"\", \"label\": 3.5}\n"
      "{\"text\": \"\", \"label\": [1, \"a\"]}\n"
      "{\"text\": \"\", \"label\": null}\n{\"text\": \"\"}\n");
  ASSERT_EQ(records.size(), 7U);
  EXPECT_EQ(records[0].label, RawLabel(std::string("3")));
  EXPECT_EQ(records[1].label, RawLabel(std::int64_t{3}));
  EXPECT_EQ(records[2].label, RawLabel(true));
  EXPECT_EQ(records[3].label, RawLabel(3.5));
  EXPECT_EQ(records[4].label,
            RawLabel(List{std::int64_t{1}, std::string("a")}));
  EXPECT_EQ(records[5].label, RawLabel());
  EXPECT_EQ(records[6].label, RawLabel());
}

TEST(JsonLinesReaderTest, RefusesUnusableLabelsOnlyWhereTheyAreNeeded) {
  ReaderSettings settings;
  EXPECT_EQ(read_text("a.jsonl", "{\"text\": \"a\", \"label\": {}}\n").size(),
            1U);
  settings.require_label = true;
  for (const std::string label :
       {"{}", "null", "[[1]]", "[null]", "\"\"", "18446744073709551615"}) {
    EXPECT_THAT(reading_error("a.jsonl",
                              "{\"text\": \"a\", \"label\": " + label + "}\n",
                              settings),
                AllOf(HasSubstr("a.jsonl:1:1: "), HasSubstr("label")))
        << label;
  }
  EXPECT_THAT(reading_error("a.jsonl", "{\"text\": \"a\"}\n", settings),
              AllOf(HasSubstr("no label"), HasSubstr("label_column")));
}

TEST(JsonLinesReaderTest, TakesCarriageReturnsBlankLinesAndNoFinalNewline) {
  EXPECT_THAT(texts_of(read_text("a.jsonl",
                                 "\r\n  \n{\"text\": \"a\"}\r\n\t\n"
                                 "  {\"text\": \"b\"}  ")),
              ElementsAre("a", "b"));
}

TEST(JsonLinesReaderTest, ReadsLoneSurrogateEscapesAsReplacementCharacters) {
  const TempDir dir;
  RecordReader reader(
      {dir.write("a.jsonl",
                 "{\"text\": \"a\\ud800b\"}\n{\"text\": \"\\uDC00\"}\n"
                 "{\"text\": \"\\ud83d\\ude00\"}\n"
                 "{\"text\": \"\\\\ud800\"}\n{\"text\": \"\\ud83d\\ud83d\"}\n")
           .string()},
      {});
  std::vector<std::string> texts;
  Record record;
  while (reader.next(record)) texts.push_back(record.text);
  EXPECT_THAT(texts, ElementsAre("a\uFFFDb", "\uFFFD", "\U0001F600", "\\ud800",
                                 "\uFFFD\uFFFD"));
  EXPECT_EQ(reader.replaced_sequences(), 4);
}

TEST(JsonLinesReaderTest, KeepsNulCharacters) {
  EXPECT_THAT(texts_of(read_text("a.jsonl", "{\"text\": \"a\\u0000b\"}\n")),
              ElementsAre(std::string("a\0b", 3)));
}

TEST(JsonLinesReaderTest, ReadsIdsAndPositions) {
  const auto records =
      read_text("a.jsonl",
                "{\"input_ids\": [0, 5, 2], \"global_attention\": [2, 0], "
                "\"token_type_ids\": [0, 1, 1], \"id\": {\"n\": 7}}\n"
                "{\"input_ids\": [0, 5, 2], \"global_attention\": []}\n"
                "{\"input_ids\": [0, 5, 2], \"token_type_ids\": [0, 0, 0]}\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_THAT(*records[0].input_ids, ElementsAre(0, 5, 2));
  EXPECT_THAT(*records[0].global_attention, ElementsAre(0, 2));
  EXPECT_THAT(records[0].token_type_ids, ElementsAre(0, 1, 1));
  EXPECT_EQ(records[0].id, Json({{"n", 7}}));
  ASSERT_TRUE(records[1].global_attention.has_value());
  EXPECT_TRUE(records[1].global_attention->empty());
  EXPECT_FALSE(records[2].global_attention.has_value());
  EXPECT_TRUE(records[2].token_type_ids.empty());
}

TEST(JsonLinesReaderTest, ReadsMasksOfHuggingFaceRecords) {
  const auto records = read_text(
      "a.jsonl",
      "{\"input_ids\": [0, 5, 2, 1, 1], \"attention_mask\": [1, 1, 1, 0, 0], "
      "\"global_attention_mask\": [1, 0, 1, 0, 1], "
      "\"token_type_ids\": [0, 1, 1, 0, 0]}\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_THAT(*records[0].input_ids, ElementsAre(0, 5, 2));
  EXPECT_THAT(*records[0].global_attention, ElementsAre(0, 2));
  EXPECT_THAT(records[0].token_type_ids, ElementsAre(0, 1, 1));
}

struct BadIds {
  const char* row;
  const char* message;
};

TEST(JsonLinesReaderTest, RefusesIdsThatMakeNoSense) {
  for (const BadIds& bad : {
           BadIds{"{\"input_ids\": \"0 5 2\"}", "not a list of integers"},
           BadIds{"{\"input_ids\": [0, 1.5]}", "element 1 of \"input_ids\""},
           BadIds{"{\"input_ids\": [4294967296]}", "element 0"},
           BadIds{"{\"input_ids\": [18446744073709551615]}", "element 0"},
           BadIds{"{\"input_ids\": [0, true]}", "element 1"},
           BadIds{"{\"input_ids\": [0], \"token_type_ids\": [0, 1]}",
                  "has 2 elements but input_ids has 1"},
           BadIds{"{\"input_ids\": [0], \"global_attention\": [-1]}", "-1"},
           // A 0/1 mask, or a merged mask, given as positions (R05).
           BadIds{"{\"input_ids\": [0, 5, 2], \"global_attention\": [1, 0, 0]}",
                  "global_attention_mask"},
           BadIds{"{\"input_ids\": [0, 5], \"global_attention_mask\": [2, 1]}",
                  "is 2; a mask holds 0 and 1"},
           BadIds{"{\"input_ids\": [0, 5], \"global_attention_mask\": [-1, 1]}",
                  "is -1; a mask holds 0 and 1"},
           BadIds{"{\"input_ids\": [0, 5], \"attention_mask\": [0, 1]}",
                  "padding at the end"},
           BadIds{"{\"input_ids\": [0], \"global_attention\": [0], "
                  "\"global_attention_mask\": [1]}",
                  "both"},
       }) {
    EXPECT_THAT(reading_error("a.jsonl", bad.row),
                AllOf(HasSubstr("a.jsonl:1:1: "), HasSubstr(bad.message)))
        << bad.row;
  }
}

TEST(JsonArrayReaderTest, ReadsTheElementsOfAnArray) {
  const auto records =
      read_text("a.json",
                " [ {\"text\": \"a]},[\", \"label\": \"x\"} ,\n"
                "{\"text\": \"b\\\"{\",\n \"n\": [1, {\"m\": [2]}]}\n, "
                "{\"text\": \"\\\\\"}]\n");
  EXPECT_THAT(texts_of(records), ElementsAre("a]},[", "b\"{", "\\"));
  EXPECT_EQ(records[1].position.line, 2);
  EXPECT_TRUE(read_text("a.json", "[]").empty());
  EXPECT_TRUE(read_text("a.json", " [ ] \n").empty());
  EXPECT_TRUE(read_text("a.json", "").empty());
}

TEST(JsonArrayReaderTest, ReadsObjectsOnLinesToo) {
  EXPECT_THAT(
      texts_of(read_text("a.json", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n")),
      ElementsAre("a", "b"));
}

TEST(JsonArrayReaderTest, NamesThePlaceOfABadElement) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 3;
  const std::string content =
      "[{\"text\": \"a\"}, {\"text\": tru}, 5,\n  {\"x\":\n 1}, "
      "{\"text\": \"b\"}]";
  EXPECT_THAT(texts_of(read_text("a.json", content, settings)),
              ElementsAre("a", "b"));
  EXPECT_THAT(reading_error("a.json", content),
              AllOf(HasSubstr("a.json:1:"), HasSubstr("(row 2)")));
  settings.reading.max_bad_rows = 2;
  EXPECT_THAT(reading_error("a.json", content, settings),
              AllOf(HasSubstr("a.json:2:3 (row 4): "), HasSubstr("\"text\"")));
}

struct BadArray {
  const char* content;
  const char* message;
};

TEST(JsonArrayReaderTest, RefusesABrokenArrayAsAWhole) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 100;
  for (const BadArray& bad : {
           BadArray{"[{\"text\": \"a\"}", "not closed"},
           BadArray{"[{\"text\": \"a\"},", "not closed"},
           BadArray{"[", "not closed"},
           BadArray{"[{\"text\": \"a\"}, {\"text\": \"b", "a.json:1:17"},
           BadArray{"[{\"text\": \"a\"},]", "a comma before"},
           BadArray{"[{\"text\": \"a\"} {\"text\": \"b\"}]", "separated"},
           BadArray{"[{\"text\": \"a\"}] x", "behind the closing"},
           BadArray{"[,]", "missing"},
           BadArray{"5", "must begin with ["},
           BadArray{"[}]", "without its {"},
       }) {
    EXPECT_THAT(reading_error("a.json", bad.content, settings),
                AllOf(HasSubstr("a.json:1:"), HasSubstr(bad.message)))
        << bad.content;
  }
}

TEST(JsonArrayReaderTest, IsNotHurtByDeepNesting) {
  const std::string deep(200000, '[');
  EXPECT_THAT(reading_error("a.json", "[" + deep), HasSubstr("never ends"));
  EXPECT_THAT(reading_error("a.jsonl", "{\"text\":" + deep + "\n"),
              HasSubstr("deep"));
}

/// The warnings about options while a file is read.
std::vector<std::string> warnings_of(std::string_view name,
                                     std::string_view content,
                                     const ReaderSettings& settings) {
  std::vector<std::string> warnings;
  set_log_observer([&](LogLevel level, std::string_view line) {
    if (level == LogLevel::kWarning) warnings.emplace_back(line);
  });
  read_text(name, content, settings);
  set_log_observer({});
  return warnings;
}

TEST(ReaderWarningsTest, NameOptionsThatNoRowNeeded) {
  ReaderSettings settings;
  settings.label_column = "";
  settings.reading.csv_delimiter = ";";
  settings.reading.text_column = "body";
  EXPECT_THAT(
      warnings_of("a.jsonl", "{\"input_ids\": [0, 2]}\n", settings),
      ElementsAre(HasSubstr("csv_delimiter (;) has no effect: none of the "
                            "files is a table"),
                  HasSubstr("text_column (body) has no effect: all rows hold "
                            "input_ids")));
  EXPECT_THAT(warnings_of("a.csv", "body;x\na;b\n", settings), IsEmpty());
  settings.reading.csv_delimiter = "auto";
  EXPECT_THAT(
      warnings_of("a.jsonl", "{\"input_ids\": [0, 2]}\n{\"body\": \"x\"}\n",
                  settings),
      IsEmpty());
}

}  // namespace
}  // namespace longformer::test
