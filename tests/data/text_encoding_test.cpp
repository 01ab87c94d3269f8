// SPDX-License-Identifier: MIT
#include <string>

#include <gmock/gmock.h>

#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// ASCII as UTF-16.
std::string utf16(std::string_view ascii, bool big_endian) {
  std::string bytes;
  for (const char c : ascii) {
    if (big_endian) bytes += '\0';
    bytes += c;
    if (!big_endian) bytes += '\0';
  }
  return bytes;
}

ReaderSettings with_encoding(TextEncoding encoding) {
  ReaderSettings settings;
  settings.reading.encoding = encoding;
  return settings;
}

TEST(TextEncodingTest, ReadsUtf16WithAByteOrderMark) {
  const std::string text = "text,label\nabc,x\n";
  EXPECT_THAT(texts_of(read_text("a.csv", "\xFF\xFE" + utf16(text, false))),
              ElementsAre("abc"));
  EXPECT_THAT(texts_of(read_text("a.csv", "\xFE\xFF" + utf16(text, true))),
              ElementsAre("abc"));
}

TEST(TextEncodingTest, RefusesUtf16WithoutMarkButReadsItByOption) {
  for (const bool big_endian : {false, true}) {
    const std::string bytes = utf16("text,label\nabc,x\n", big_endian);
    EXPECT_THAT(reading_error("a.csv", bytes),
                AllOf(HasSubstr("a.csv"), HasSubstr("UTF-16"),
                      HasSubstr("encoding to utf-16")));
    EXPECT_THAT(texts_of(read_text("a.csv", bytes,
                                   with_encoding(TextEncoding::kUtf16))),
                ElementsAre("abc"));
  }
}

TEST(TextEncodingTest, RefusesUtf8WhereTheOptionSaysUtf16) {
  for (const char* text : {"text,label\nabc,x\n", "text\n\u00e4\u4e2d\n"}) {
    EXPECT_THAT(
        reading_error("a.csv", text, with_encoding(TextEncoding::kUtf16)),
        AllOf(HasSubstr("a.csv: is not UTF-16"), HasSubstr("leave")));
  }
}

TEST(TextEncodingTest, PairsSurrogatesAndReplacesLoneOnes) {
  std::string bytes = "\xFF\xFE" + utf16("text\n", false);
  const auto unit = [&](int value) {
    bytes += static_cast<char>(value & 0xFF);
    bytes += static_cast<char>(value >> 8);
  };
  unit(0xD83D);
  unit(0xDE00);
  bytes += utf16("\n", false);
  unit(0xD83D);
  bytes += utf16("a\n", false);
  unit(0xDE00);
  bytes += utf16("\n", false);
  unit(0x20AC);
  bytes += "\x41";  // Half a unit at the end.
  EXPECT_THAT(texts_of(read_text("a.csv", bytes)),
              ElementsAre("\U0001F600", "\uFFFDa", "\uFFFD", "\u20AC\uFFFD"));
}

TEST(TextEncodingTest, RefusesLatin1ButReadsItByOption) {
  const std::string bytes =
      "text,label\nna\xEFve caf\xE9,x\nGr\xFC\xDF"
      "e,y\n";
  EXPECT_THAT(reading_error("a.csv", bytes),
              AllOf(HasSubstr("a.csv: byte 14"), HasSubstr("Latin-1"),
                    HasSubstr("encoding to latin-1")));
  EXPECT_THAT(
      texts_of(read_text("a.csv", bytes, with_encoding(TextEncoding::kLatin1))),
      ElementsAre("naïve café", "Grüße"));
  EXPECT_THAT(
      texts_of(read_text("a.csv", bytes, with_encoding(TextEncoding::kUtf8))),
      ElementsAre("na\uFFFDve caf\uFFFD", "Gr\uFFFD\uFFFDe"));
}

// Known failure R37: ill-formed UTF-8 ended the process, NUL cut the text.
TEST(TextEncodingTest, ReplacesIllFormedUtf8AndCountsIt) {
  const std::string rows[] = {"\xFF",
                              "\xE2\x80",
                              "\xC0\xAF",
                              "\xED\xA0\x80",
                              "\xF5\x80\x80\x80",
                              "a\xF0\x9F\x98",
                              std::string("a\0b", 3)};
  std::string csv = "text,label\n";
  std::string jsonl;
  for (const std::string& row : rows) {
    csv += row + ",x\n";
    if (row.find('\0') == std::string::npos) {
      jsonl += "{\"text\": \"" + row + "\"}\n";
    }
  }
  const std::vector<std::string> expected{"\uFFFD",
                                          "\uFFFD",
                                          "\uFFFD\uFFFD",
                                          "\uFFFD\uFFFD\uFFFD",
                                          "\uFFFD\uFFFD\uFFFD\uFFFD",
                                          "a\uFFFD",
                                          std::string("a\0b", 3)};
  EXPECT_EQ(texts_of(read_text("a.csv", csv)), expected);
  const TempDir dir;
  RecordReader reader({dir.write("a.jsonl", jsonl).string()}, {});
  Record record;
  std::size_t i = 0;
  while (reader.next(record)) EXPECT_EQ(record.text, expected[i++]);
  EXPECT_EQ(i, 6U);
  EXPECT_EQ(reader.replaced_sequences(), 12);
}

TEST(TextEncodingTest, RecognisesLatin1InRunningText) {
  // Letters that stand alone, that follow each other, and signs.
  const std::string bytes =
      "text\nIl y a \xE0 peine cr\xE9\xE9 \xAB ceci \xBB, d\x92o\xF9 \xEA"
      "tre l\xE0.\n";
  EXPECT_THAT(reading_error("a.tsv", bytes), HasSubstr("Latin-1"));
  // A character cut in two is damage, not another encoding.
  EXPECT_THAT(texts_of(read_text("a.csv", "text\ncaf\xC3\nth\xE2\x80\n")),
              ElementsAre("caf\uFFFD", "th\uFFFD"));
}

TEST(TextEncodingTest, RefusesEncodingsThatItDoesNotKnow) {
  std::string gbk = "text\n";
  for (int i = 0; i < 200; ++i) gbk += "\xC4\xE3\xBA\xC3";
  EXPECT_THAT(reading_error("a.csv", gbk + "\n"),
              AllOf(HasSubstr("not UTF-8"), HasSubstr("iconv")));
  EXPECT_THAT(reading_error("a.csv", std::string("\xFF\xFE\0\0t\0\0\0", 8)),
              HasSubstr("UTF-32"));
  std::string utf32;
  for (const char c : std::string("text,label\na,x\n")) {
    utf32 += std::string(3, '\0') + c;
  }
  EXPECT_THAT(reading_error("a.csv", utf32), HasSubstr("UTF-32BE"));
  EXPECT_THAT(reading_error("a.csv", "text\n\x1B$B$3$s\x1B(B\n"),
              HasSubstr("ISO-2022-JP"));
}

TEST(TextEncodingTest, DoesNotMistakeACharacterCutByAPiece) {
  // Two-byte characters on both parities, over several pieces.
  std::string text = "text\n";
  for (int i = 0; i < 400000; ++i) text += "é";
  for (const std::string prefix : {"", "x"}) {
    EXPECT_EQ(texts_of(read_text("a.csv", "text\n" + prefix + text.substr(5)))
                  .at(0)
                  .size(),
              text.size() - 5 + prefix.size());
  }
}

}  // namespace
}  // namespace longformer::test
