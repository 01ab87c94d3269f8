// SPDX-License-Identifier: MIT
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(CsvReaderTest, ReadsTheColumnsByName) {
  const auto records =
      read_text("a.csv", "id,label,text\n7,pos,good\n8,neg,bad\n");
  EXPECT_THAT(pairs_of(records),
              ElementsAre(Pair("good", "pos"), Pair("bad", "neg")));
  EXPECT_EQ(records[1].id, Json("8"));
}

TEST(CsvReaderTest, KeepsNewlinesInsideQuotes) {
  EXPECT_THAT(texts_of(read_text("a.csv",
                                 "text,label\n\"a\nb\",x\n\"a\r\nb\",x\n"
                                 "\"a\rb\",x\n")),
              ElementsAre("a\nb", "a\r\nb", "a\rb"));
}

TEST(CsvReaderTest, ReadsTwoQuotesInsideQuotesAsOne) {
  EXPECT_THAT(texts_of(read_text("a.csv",
                                 "text,label\n\"say \"\"hi\"\"\",x\n"
                                 "\"\"\"\",x\n\"\",x\n")),
              ElementsAre("say \"hi\"", "\"", ""));
}

TEST(CsvReaderTest, KeepsQuotesInsideUnquotedFields) {
  EXPECT_THAT(texts_of(read_text("a.csv", "text,label\na \"b\" c,x\n 'd',x\n")),
              ElementsAre("a \"b\" c", " 'd'"));
}

TEST(CsvReaderTest, TakesEveryKindOfLineEnd) {
  EXPECT_THAT(
      pairs_of(read_text("a.csv", "text,label\r\na,1\rb,2\nc,3\r\nd,4")),
      ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3"),
                  Pair("d", "4")));
}

TEST(CsvReaderTest, SkipsBlankLinesButNotEmptyFields) {
  EXPECT_THAT(pairs_of(read_text("a.csv", "\n\ntext,label\n\na,1\n\r\n,2\n\n")),
              ElementsAre(Pair("a", "1"), Pair("", "2")));
}

TEST(CsvReaderTest, IgnoresADelimiterBehindTheLastColumn) {
  EXPECT_THAT(pairs_of(read_text("a.csv", "text,label\na,1,\nb,2,,\"\"\n")),
              ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(pairs_of(read_text("a.csv", "text,label,\na,1,\n")),
              ElementsAre(Pair("a", "1")));
}

TEST(CsvReaderTest, KeepsWordsForMissingValuesAsText) {
  ReaderSettings settings;
  settings.allow_empty_label = true;
  EXPECT_THAT(
      pairs_of(
          read_text("a.csv", "text,label\nNA,null\nnull,NA\n,\n", settings)),
      ElementsAre(Pair("NA", "null"), Pair("null", "NA"), Pair("", "")));
}

TEST(CsvReaderTest, ReadsHugeFields) {
  const std::string huge(3 << 20, 'x');
  const auto records =
      read_text("a.csv", "text,label\n\"" + huge + "\",1\n" + huge + ",2\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].text, huge);
  EXPECT_EQ(records[1].text, huge);
}

TEST(CsvReaderTest, KeepsNulBytes) {
  const std::string content("text,label\na\0b,x\n", 17);
  EXPECT_THAT(texts_of(read_text("a.csv", content)),
              ElementsAre(std::string("a\0b", 3)));
}

TEST(CsvReaderTest, SkipsTheByteOrderMark) {
  EXPECT_THAT(texts_of(read_text("a.csv", "\xEF\xBB\xBFtext,label\nä,x\n")),
              ElementsAre("ä"));
}

TEST(CsvReaderTest, NamesWhereAnUnclosedQuoteOpened) {
  EXPECT_THAT(reading_error("a.csv", "text,label\na,1\nb,\"2\nc,3\nd,4\n"),
              AllOf(HasSubstr("a.csv:3:3: "), HasSubstr("never closed")));
}

TEST(CsvReaderTest, NamesTextBehindAClosingQuote) {
  EXPECT_THAT(reading_error("a.csv", "text,label\n\"a\"b,1\n"),
              AllOf(HasSubstr("a.csv:2:4 (row 1): "),
                    HasSubstr("after the closing quote"), HasSubstr("'b'")));
}

TEST(CsvReaderTest, NamesRowsWithTooFewOrTooManyFields) {
  EXPECT_THAT(reading_error("a.csv", "text,label\na,1\n\"x\ny\",1\nb\n"),
              AllOf(HasSubstr("a.csv:5:1 (row 3): "), HasSubstr("has 1 field "),
                    HasSubstr("has 2 (text, label)")));
  EXPECT_THAT(
      reading_error("a.csv", "text,label\na,1,2\n"),
      AllOf(HasSubstr("a.csv:2:1 (row 1): "), HasSubstr("has 3 fields")));
}

TEST(CsvReaderTest, SkipsBadRowsUpToTheLimit) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 2;
  const std::string content = "text,label\na,1\n\"b\"c,2\nd\ne,5\n\"f\ng\",6\n";
  EXPECT_THAT(pairs_of(read_text("a.csv", content, settings)),
              ElementsAre(Pair("a", "1"), Pair("e", "5"), Pair("f\ng", "6")));
  settings.reading.max_bad_rows = 1;
  EXPECT_THAT(
      reading_error("a.csv", content, settings),
      AllOf(HasSubstr("a.csv:4:1 (row 3): "), HasSubstr("max_bad_rows")));
}

TEST(CsvReaderTest, ListsTheColumnsWhenOneIsMissing) {
  ReaderSettings settings;
  settings.require_label = true;
  EXPECT_THAT(
      reading_error("a.csv", "Text,label,x y\na,1,2\n", settings),
      AllOf(HasSubstr("a.csv:1:1: "), HasSubstr("no column \"text\""),
            HasSubstr("Text, label, \"x y\""), HasSubstr("text_column")));
  EXPECT_THAT(
      reading_error("a.csv", "text,class\na,1\n", settings),
      AllOf(HasSubstr("no column \"label\""), HasSubstr("label_column")));
}

TEST(CsvReaderTest, RefusesAColumnThatIsThereTwice) {
  EXPECT_THAT(reading_error("a.csv", "text,label,text\na,1,b\n"),
              AllOf(HasSubstr("two columns are called \"text\""),
                    HasSubstr("text, label, text")));
  // Others may repeat.
  EXPECT_THAT(texts_of(read_text("a.csv", "x,text,x\n1,a,2\n")),
              ElementsAre("a"));
}

TEST(CsvReaderTest, ReadsAnEmptyFileAsNoRows) {
  EXPECT_TRUE(read_text("a.csv", "").empty());
  EXPECT_TRUE(read_text("a.csv", "text,label\n").empty());
}

TEST(CsvReaderTest, GuessesTheDelimiterFromTheHeaderLine) {
  for (const std::string delimiter : {",", ";", "\t", "|"}) {
    const std::string content =
        "text" + delimiter + "label\nx" + delimiter + "y\n";
    EXPECT_THAT(pairs_of(read_text("a.csv", content)),
                ElementsAre(Pair("x", "y")))
        << delimiter;
  }
  EXPECT_THAT(texts_of(read_text("a.csv", "text\na;b\n")), ElementsAre("a;b"));
}

TEST(CsvReaderTest, TakesTheDelimiterThatASpreadsheetStates) {
  for (const std::string line : {"sep=|\n", "sep=|\r\n", "\"sep=|\"\r\n"}) {
    for (const std::string name : {"a.csv", "a.txt", "a"}) {
      EXPECT_THAT(
          pairs_of(read_text(
              name, "\xEF\xBB\xBF" + line + "text|label\r\nan, other|y\r\n")),
          ElementsAre(Pair("an, other", "y")))
          << name << line;
    }
  }
  ReaderSettings settings;
  settings.reading.csv_delimiter = ",";
  EXPECT_THAT(
      pairs_of(read_text("a.csv", "sep=;\ntext,label\na,b\n", settings)),
      ElementsAre(Pair("a", "b")))
      << "the option decides";
  EXPECT_THAT(reading_error("a.csv", "sep=;\ntxt;label\nx;y\n"),
              HasSubstr("a.csv:2:1: there is no column \"text\", found"));
}

TEST(CsvReaderTest, TakesTheDialectFromTheOptions) {
  ReaderSettings settings;
  settings.reading.csv_delimiter = ":";
  settings.reading.csv_quote = "'";
  EXPECT_THAT(
      pairs_of(read_text("a.csv", "text:label\n'a:''b\"':c\n", settings)),
      ElementsAre(Pair("a:'b\"", "c")));
  settings.reading.csv_delimiter = "tab";
  settings.reading.csv_quote = "none";
  EXPECT_THAT(pairs_of(read_text("a.csv", "text\tlabel\n\"a\tb\n", settings)),
              ElementsAre(Pair("\"a", "b")));
}

TEST(CsvReaderTest, KnowsDelimitersByTheirNames) {
  for (const auto& [name, delimiter] :
       std::map<std::string, std::string>{{"comma", ","},
                                          {"semicolon", ";"},
                                          {"pipe", "|"},
                                          {"space", " "},
                                          {"tab", "\t"}}) {
    ReaderSettings settings;
    settings.reading.csv_delimiter = name;
    EXPECT_THAT(
        pairs_of(read_text("a.csv",
                           "text" + delimiter + "label\na" + delimiter + "b\n",
                           settings)),
        ElementsAre(Pair("a", "b")))
        << name;
  }
}

TEST(CsvReaderTest, RefusesDialectsThatMakeNoSense) {
  ReaderSettings settings;
  settings.reading.csv_delimiter = "::";
  EXPECT_THROW(RecordReader({"a.csv"}, settings), ConfigError);
  settings.reading.csv_delimiter = "\"";
  EXPECT_THROW(RecordReader({"a.csv"}, settings), ConfigError);
  settings.reading.csv_delimiter = "auto";
  settings.reading.csv_quote = "\n";
  EXPECT_THROW(RecordReader({"a.csv"}, settings), ConfigError);
}

TEST(TsvReaderTest, ReadsQuotedFieldsWhereTheyFollowTheRules) {
  EXPECT_THAT(pairs_of(read_text("a.tsv", "text\tlabel\n\"a\tb\"\tc\n")),
              ElementsAre(Pair("a\tb", "c")));
}

TEST(TsvReaderTest, TakesQuotesForTextWhereTheyDoNot) {
  EXPECT_THAT(
      pairs_of(read_text("a.tsv", "text\tlabel\n\"Hi\" he said\tx\n\"b\ty\n")),
      ElementsAre(Pair("\"Hi\" he said", "x"), Pair("\"b", "y")));
}

TEST(CsvReaderTest, SkipsARepeatedHeaderLine) {
  EXPECT_THAT(
      pairs_of(read_text("a.csv", "text,label\na,1\ntext,label\nb,2\n")),
      ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(CsvReaderTest, ReadsATextPair) {
  ReaderSettings settings;
  settings.reading.text_pair_column = "b";
  const auto records = read_text("a.csv", "text,b\nx,y\n", settings);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].text_pair, "y");
}

TEST(CsvReaderTest, DoesNotStoreAMillionEmptyFields) {
  const std::string commas(4 << 20, ',');
  const auto records = read_text("a.csv", "text,label\na,b" + commas + "\n");
  EXPECT_THAT(pairs_of(records), ElementsAre(Pair("a", "b")));
  EXPECT_THAT(reading_error("a.csv", commas + "\n"),
              HasSubstr("more than 65536"));
}

}  // namespace
}  // namespace longformer::test
