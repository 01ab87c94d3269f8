// SPDX-License-Identifier: MIT
//
// Real files that are hard to read as text, through inspect, tokenizer encode
// and predict: a sensible result, or a message that says what to do. Prints
// seconds and MB/s; time is not asserted.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;

std::string odd_file(const std::string& name) {
  return (cache_dir() / "odd-files" / name).string();
}

class OddFilesTest : public ProgramTest {
 protected:
  static void SetUpTestSuite() {
    RunOptions options;
    options.timeout = std::chrono::seconds(1000);
    const RunResult result =
        run_program(source_dir() / "scripts/fetch_odd_files.sh", {}, options);
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  }

  /// Runs the program on a file and prints how long it took.
  RunResult timed(const std::vector<std::string>& arguments,
                  const std::string& file) const {
    const auto start = std::chrono::steady_clock::now();
    const RunResult result = run(arguments);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    const double megabytes =
        static_cast<double>(std::filesystem::file_size(file)) / 1e6;
    std::printf("%-60s %-9s exit %d %8.2f s %7.2f MB/s\n",
                std::filesystem::path(file).filename().c_str(),
                arguments[0].c_str(), result.exit_code, seconds,
                megabytes / seconds);
    EXPECT_EQ(result.signal, 0);
    return result;
  }

  RunResult inspect(const std::string& file,
                    const std::vector<std::string>& more) const {
    return timed(with({"inspect", "--path", file}, more), file);
  }

  RunResult encode(const std::string& file,
                   const std::vector<std::string>& more,
                   const std::string& output = "encoded.jsonl") const {
    return timed(with({"tokenizer", "encode", "--tokenizer",
                       (cache_dir() / "bpe-vocabulary").string(), "--data",
                       file, "--output", output},
                      more),
                 file);
  }

  RunResult predict(const std::string& file,
                    const std::vector<std::string>& more) const {
    if (!std::filesystem::exists(path("model"))) {
      write_text_model("model", tiny_config());
    }
    return timed(with({"predict", "--model", "model", "--data", file,
                       "--output", "answers.jsonl"},
                      more),
                 file);
  }

  std::size_t lines_of(const std::string& name) const {
    std::ifstream file(path(name));
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

  /// All three commands read the file as `rows` documents; predict only its
  /// first part, where it is large.
  void expect_rows(const std::string& file, std::size_t rows,
                   const std::vector<std::string>& more) const {
    SCOPED_TRACE(file);
    const RunResult inspected = inspect(file, more);
    EXPECT_EQ(inspected.exit_code, 0) << inspected.standard_error;
    EXPECT_THAT(inspected.standard_output,
                HasSubstr(std::to_string(rows) + " documents"));
    const RunResult encoded = encode(file, more);
    EXPECT_EQ(encoded.exit_code, 0) << encoded.standard_error;
    EXPECT_EQ(lines_of("encoded.jsonl"), rows);
    const RunResult answered = predict(file, more);
    EXPECT_EQ(answered.exit_code, 0) << answered.standard_error;
    EXPECT_EQ(lines_of("answers.jsonl"), rows);
  }

  /// All three commands refuse the file as data, with all of these words.
  void expect_refusal(const std::string& file,
                      const std::vector<std::string>& words,
                      const std::vector<std::string>& more = {}) const {
    SCOPED_TRACE(file);
    for (const RunResult& result :
         {inspect(file, more), encode(file, more), predict(file, more)}) {
      EXPECT_EQ(result.exit_code, 3);
      EXPECT_THAT(result.standard_error, HasSubstr(file));
      for (const std::string& word : words) {
        EXPECT_THAT(result.standard_error, HasSubstr(word));
      }
    }
    for (const char* name : {"encoded.jsonl", "answers.jsonl"}) {
      EXPECT_FALSE(std::filesystem::exists(path(name))) << name;
    }
  }

  /// The first lines of a file, as a file of its own.
  std::string first_lines(const std::string& file, std::size_t count) const {
    std::ifstream source(file);
    std::string text;
    for (std::string line; count > 0 && std::getline(source, line); --count) {
      text += line + "\n";
    }
    return write("first.txt", text);
  }
};

const std::vector<std::string> kText = {"--data-format", "text"};

TEST_F(OddFilesTest, FifteenMegabytesInOneLineAreOneDocument) {
  for (const char* name : {"member-search-index.js", "searchindex.js"}) {
    expect_refusal(odd_file(name), {"data_format", "every line is a document"});
    expect_rows(odd_file(name), 1, kText);
    std::filesystem::remove(path("encoded.jsonl"));
    std::filesystem::remove(path("answers.jsonl"));
  }
}

TEST_F(OddFilesTest, QuotedLineEndsAndCarriageReturnsMakeNoRows) {
  const std::string file = odd_file("oui.csv");
  expect_refusal(file, {"there is no column \"text\"", "Organization Address"});
  RunOptions options;
  const RunResult python = run_program(
      "/usr/bin/python3",
      {"-c",
       "import csv, sys\n"
       "rows = list(csv.DictReader(open(sys.argv[1], newline='')))\n"
       "texts = [row['Organization Address'] for row in rows]\n"
       "assert any('\\n' in text for text in texts)\n"
       "print(len(texts), 'documents,', sum(map(len, texts)), 'characters')",
       file},
      options);
  ASSERT_EQ(python.exit_code, 0) << python.standard_error;
  const std::vector<std::string> column = {"--text-column",
                                           "Organization Address"};
  const RunResult inspected = inspect(file, column);
  EXPECT_EQ(inspected.exit_code, 0) << inspected.standard_error;
  EXPECT_THAT(inspected.standard_output, HasSubstr(python.standard_output));
  EXPECT_EQ(encode(file, column).exit_code, 0);
  const std::size_t rows = std::stoul(python.standard_output);
  EXPECT_EQ(lines_of("encoded.jsonl"), rows);
}

TEST_F(OddFilesTest, NulBytesAreCharactersOfOneDocument) {
  const std::string file = odd_file("huffman-null-max.in");
  expect_refusal(file, {"data_format"});
  expect_rows(file, 1, kText);
  const Json encoded = read_json_lines(path("encoded.jsonl")).at(0);
  const Json& offsets = encoded.at("offsets");
  // The last token of the text; behind it is </s>.
  EXPECT_EQ(offsets.at(offsets.size() - 2).at(1), 65535);
}

TEST_F(OddFilesTest, OtherEncodingsAreRefusedWithAdviceAndReadByOption) {
  const std::string plain = odd_file("candide-utf-8.txt");
  EXPECT_EQ(encode(plain, kText, "plain.jsonl").exit_code, 0);
  EXPECT_EQ(lines_of("plain.jsonl"), 510U);
  const std::string wide = odd_file("candide-utf-16le.txt");
  expect_refusal(wide, {"UTF-16 without a byte order mark", "encoding"}, kText);
  EXPECT_EQ(encode(wide, with(kText, {"--encoding", "utf-16"})).exit_code, 0);
  EXPECT_EQ(read_file(path("encoded.jsonl")), read_file(path("plain.jsonl")));
  std::filesystem::remove(path("encoded.jsonl"));
  const std::string narrow = odd_file("candide-windows-1252.txt");
  expect_refusal(narrow, {"byte 353 is not UTF-8", "latin-1", "iconv"}, kText);
  EXPECT_EQ(encode(narrow, with(kText, {"--encoding", "latin-1"})).exit_code,
            0);
  EXPECT_EQ(read_file(path("encoded.jsonl")), read_file(path("plain.jsonl")));
}

TEST_F(OddFilesTest, EncodingsOfEastAsiaAreRefusedOrReadAsReplacements) {
  for (const char* name :
       {"sunzi-bingfa-simplified-gbk.txt", "gb18030.txt", "big5.txt",
        "euc_jp.txt", "euc_kr.txt", "shift_jis.txt"}) {
    const std::string file = odd_file(name);
    expect_refusal(file, {"is not UTF-8", "iconv"}, kText);
    const RunResult result =
        predict(file, with(kText, {"--encoding", "utf-8"}));
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    std::filesystem::remove(path("answers.jsonl"));
  }
  expect_refusal(odd_file("rashomon-iso-2022-jp.txt"), {"ISO-2022-JP", "iconv"},
                 kText);
  // These have seven bits only, as ASCII; the one with escapes may be known.
  for (const char* name : {"hz.txt", "iso2022_kr.txt"}) {
    EXPECT_THAT(inspect(odd_file(name), kText).exit_code, AnyOf(Eq(0), Eq(3)));
  }
}

TEST_F(OddFilesTest, AByteOrderMarkIsNoText) {
  const std::string file =
      odd_file("tokenize_tests-latin1-coding-cookie-and-utf8-bom-sig.txt");
  expect_rows(file, 13, kText);
  // "#" comes first, as it would without the mark.
  const Json encoded = read_json_lines(path("encoded.jsonl")).at(0);
  write("hash.txt", "#\n");
  EXPECT_EQ(encode(path("hash.txt"), kText).exit_code, 0);
  const Json hash = read_json_lines(path("encoded.jsonl")).at(0);
  EXPECT_EQ(encoded.at("ids").at(1), hash.at("ids").at(1));
}

TEST_F(OddFilesTest, ScriptsWithoutBlanksAreReadLineByLine) {
  for (const auto& [name, rows] :
       {std::pair{"th_TH.dic", 51683U}, std::pair{"ar.dic", 170813U},
        std::pair{"dict.txt", 349046U}}) {
    const std::string file = odd_file(name);
    SCOPED_TRACE(file);
    EXPECT_THAT(inspect(file, kText).standard_output,
                HasSubstr(std::to_string(rows) + " documents"));
    EXPECT_EQ(encode(file, kText).exit_code, 0);
    EXPECT_EQ(lines_of("encoded.jsonl"), rows);
    // Empty lines would be documents without tokens but for <s> and </s>.
    const RunResult answered = predict(first_lines(file, 2000), kText);
    EXPECT_EQ(answered.exit_code, 0) << answered.standard_error;
    EXPECT_EQ(lines_of("answers.jsonl"), 2000U);
  }
}

}  // namespace
}  // namespace longformer::test
