// SPDX-License-Identifier: MIT
#include "longformer/data/input_files.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <zlib.h>

#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string gzip(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(content.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(InputFilesTest, TakesTheDataFilesOfADirectoryInOrder) {
  const TempDir dir;
  const std::string b = dir.write("d/b.csv", "").string();
  const std::string a = dir.write("d/sub/a.jsonl.gz", "").string();
  const std::string c = dir.write("d/c.TSV", "").string();
  dir.write("d/.hidden.csv", "");
  dir.write("d/_SUCCESS", "");
  dir.write("d/readme.md", "");
  EXPECT_THAT(expand_inputs({(dir / "d").string()}), ElementsAre(b, c, a));
}

TEST(InputFilesTest, TakesAllFilesWhenNoEndingIsKnown) {
  const TempDir dir;
  const std::string a = dir.write("d/part-00000", "").string();
  const std::string b = dir.write("d/part-00001", "").string();
  EXPECT_THAT(expand_inputs({(dir / "d").string()}), ElementsAre(a, b));
}

TEST(InputFilesTest, KnowsAFileUnderAnotherName) {
  const TempDir dir;
  const std::string a = dir.write("a.jsonl", "").string();
  const std::string b = dir.write("b.jsonl", "").string();
  const std::string other = (dir / "." / "a.jsonl").string();
  const std::string link = (dir / "link.jsonl").string();
  std::filesystem::create_symlink(a, link);
  for (const std::string& name : {a, other, link}) {
    EXPECT_THROW(expand_inputs({a, b, name}), DataError) << name;
    EXPECT_EQ(shared_file({b, a}, {name}), name);
  }
  EXPECT_EQ(shared_file({a}, {b}), "");
}

TEST(InputFilesTest, ExpandsPatterns) {
  const TempDir dir;
  const std::string b = dir.write("b1.csv", "").string();
  const std::string a = dir.write("a2.csv", "").string();
  dir.write("c.jsonl", "");
  EXPECT_THAT(expand_inputs({(dir / "*.csv").string()}), ElementsAre(a, b));
  EXPECT_THAT(expand_inputs({(dir / "[ab]?.*").string()}), ElementsAre(a, b));
  // A file whose name looks like a pattern is that file.
  const std::string odd = dir.write("x[1].csv", "").string();
  EXPECT_THAT(expand_inputs({odd}), ElementsAre(odd));
}

TEST(InputFilesTest, RefusesWhatIsNotThere) {
  const TempDir dir;
  const std::string file = dir.write("a.csv", "").string();
  std::filesystem::create_directory(dir / "empty");
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{(dir / "no.csv").string()},
        {(dir / "*.json").string()},
        {(dir / "empty").string()},
        {},
        {""},
        {file, file},
        {file, "-"}}) {
    EXPECT_THROW(expand_inputs(inputs), DataError);
  }
  EXPECT_THAT(expand_inputs({"-"}), ElementsAre("-"));
}

TEST(InputFilesTest, ReadsSeveralFilesOneAfterAnother) {
  const TempDir dir;
  const std::string a = dir.write("a.csv", "text,label\na,x\nb,y\n").string();
  const std::string b = dir.write("b.jsonl", "{\"text\": \"c\"}\n").string();
  const auto records = read_files({a, b});
  EXPECT_THAT(texts_of(records), ElementsAre("a", "b", "c"));
  EXPECT_EQ(records[1].position, (SourcePosition{0, 1, 3, 2}));
  EXPECT_EQ(records[2].position, (SourcePosition{1, 1, 1, 1}));
}

// Known failure R50: only the first member of a gzip file was read.
TEST(InputFilesTest, ReadsAllMembersOfAGzipFile) {
  const std::string a = gzip("text,label\na,x\n");
  const std::string b = gzip("b,y\n");
  EXPECT_THAT(texts_of(read_text("c.csv.gz", a + b)), ElementsAre("a", "b"));
  EXPECT_THAT(texts_of(read_text("c.csv.gz", a + b + std::string(512, '\0'))),
              ElementsAre("a", "b"));
  // Whatever the name says.
  EXPECT_THAT(texts_of(read_text("c.csv", a)), ElementsAre("a"));
  EXPECT_THAT(texts_of(read_text("c.csv.gz", "text,label\na,x\n")),
              ElementsAre("a"));
  EXPECT_TRUE(read_text("c.csv.gz", gzip("")).empty());
  EXPECT_THAT(reading_error("c.csv.gz", (a + b).substr(0, a.size() + 10)),
              HasSubstr("truncated"));
  std::string wrong = a;
  wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 1);
  EXPECT_THAT(reading_error("c.csv.gz", wrong), HasSubstr("CRC"));
}

TEST(InputFilesTest, TellsTheFormatFromTheContentWhereTheNameDoesNot) {
  EXPECT_EQ(read_text("data", "{\"text\": \"a\"}\n").size(), 1U);
  EXPECT_EQ(read_text("data", " [{\"text\": \"a\"}]\n").size(), 1U);
  EXPECT_THAT(texts_of(read_text("data", "text;label\na;b\n")),
              ElementsAre("a"));
  EXPECT_THAT(texts_of(read_text("data", "label\ttext\na\tb\n")),
              ElementsAre("b"));
  EXPECT_THAT(reading_error("data", "some words\n"),
              AllOf(HasSubstr("data: "), HasSubstr("data_format")));
}

TEST(InputFilesTest, ReadsEveryLineOfATextFileAsADocument) {
  EXPECT_THAT(texts_of(read_text("a.txt", "one \"1\"\n\ntwo\r\nthree")),
              ElementsAre("one \"1\"", "", "two", "three"));
}

TEST(InputFilesTest, ReadsTheFormatThatTheOptionNames) {
  ReaderSettings settings;
  settings.reading.data_format = DataFormat::kText;
  EXPECT_THAT(texts_of(read_text("a.json", "{}\n", settings)),
              ElementsAre("{}"));
  settings.reading.data_format = DataFormat::kJsonLines;
  EXPECT_THAT(texts_of(read_text("a.csv", "{\"text\": \"a\"}\n", settings)),
              ElementsAre("a"));
}

TEST(RecordReaderTest, GivesTheSameRecordsInBlocks) {
  std::string content;
  for (int i = 0; i < 500; ++i) {
    content +=
        i % 50 == 7 ? "{\n" : "{\"text\": \"" + std::to_string(i) + "\"}\n";
  }
  ReaderSettings settings;
  settings.reading.max_bad_rows = 10;
  const TempDir dir;
  const std::string path = dir.write("a.jsonl", content).string();
  const auto expected = read_files({path}, settings);
  for (const int threads : {1, 3}) {
    RecordReader reader({path}, settings);
    std::vector<Record> all;
    std::vector<Record> block;
    while (reader.next_block(block, 4000, threads)) {
      EXPECT_LT(block.size(), 100U);
      for (Record& record : block) all.push_back(std::move(record));
    }
    EXPECT_EQ(texts_of(all), texts_of(expected));
    EXPECT_EQ(reader.bad_rows(), 10);
    EXPECT_EQ(reader.rows(), 490);
  }
}

TEST(RecordReaderTest, CountsRowsThatTheCallerRejects) {
  const TempDir dir;
  ReaderSettings settings;
  settings.reading.max_bad_rows = 1;
  RecordReader reader({dir.write("a.jsonl", "{\"text\": \"a\"}\n").string()},
                      settings);
  Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_NO_THROW(reader.reject(record.position, "first"));
  EXPECT_THAT(
      data_error([&] { reader.reject(record.position, "second"); }),
      AllOf(HasSubstr("a.jsonl:1:1: second"), HasSubstr("max_bad_rows")));
}

}  // namespace
}  // namespace longformer::test
