// SPDX-License-Identifier: MIT
#include "longformer/io/text_input.h"

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::HasSubstr;

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Text that does not compress to nothing.
std::string long_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += "line " + std::to_string(i * 2654435761U % 1000003) + "\n";
  }
  return text;
}

std::string read_everything(const std::string& path, std::size_t piece = 1000) {
  TextInput input(path);
  std::string text;
  std::string buffer(piece, '\0');
  while (const std::size_t count = input.read(buffer.data(), piece)) {
    text.append(buffer, 0, count);
  }
  return text;
}

/// The message with which reading the whole file fails.
std::string failure(const std::string& path) {
  try {
    read_everything(path);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

class TextInputTest : public ::testing::Test {
 protected:
  std::string write(std::string_view name, const std::string& content) {
    return dir_.write(name, content).string();
  }
  test::TempDir dir_;
};

TEST_F(TextInputTest, ReadsPlainFilesWhateverTheirName) {
  const std::string text = long_text(50000);
  EXPECT_EQ(read_everything(write("a.csv", text)), text);
  EXPECT_EQ(read_everything(write("a.csv.gz", text), 1 << 20), text);
  EXPECT_EQ(read_everything(write("empty.gz", "")), "");
}

TEST_F(TextInputTest, ReadsGzipWhateverItsName) {
  const std::string text = long_text(50000);
  const std::string path = write("a.csv", gzip(text));
  EXPECT_EQ(read_everything(path), text);
  EXPECT_EQ(read_everything(path, 1), text);
  EXPECT_TRUE(TextInput(path).is_gzip());
  EXPECT_EQ(read_everything(write("e.gz", gzip(""))), "");
}

TEST_F(TextInputTest, ReadsAllMembersOfAGzipFile) {
  std::string file;
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    const std::string part = long_text(i * 7 % 400);
    expected += part;
    file += gzip(part);
  }
  EXPECT_EQ(read_everything(write("many.gz", file)), expected);
}

TEST_F(TextInputTest, IgnoresZeroPaddingBehindGzip) {
  const std::string file = gzip("a\n") + gzip("b\n");
  EXPECT_EQ(read_everything(write("p.gz", file + std::string(200000, '\0'))),
            "a\nb\n");
  EXPECT_EQ(read_everything(write(
                "q.gz", gzip("a\n") + std::string(65533, '\0') + gzip("b\n"))),
            "a\nb\n");
}

TEST_F(TextInputTest, MembersMayStartAnywhereInTheBuffer) {
  // The two bytes that start a member fall on both sides of a 64 KiB border.
  for (std::size_t start = 65530; start <= 65540; ++start) {
    const std::string first = gzip("x\n");
    const std::string file =
        first + std::string(start - first.size(), '\0') + gzip("y\n");
    ASSERT_EQ(read_everything(write("m.gz", file)), "x\ny\n") << start;
  }
}

TEST_F(TextInputTest, TruncatedGzipIsAnErrorWhereverItIsCut) {
  const std::string whole = gzip(long_text(3000));
  for (std::size_t size = 2; size < whole.size();
       size += 1 + whole.size() / 97) {
    EXPECT_THAT(failure(write("cut.gz", whole.substr(0, size))),
                HasSubstr("truncated"))
        << size;
  }
  EXPECT_THAT(failure(write("c.gz", whole.substr(0, whole.size() - 10))),
              HasSubstr("c.gz"));
}

TEST_F(TextInputTest, WrongChecksumOrLengthIsAnError) {
  const std::string whole = gzip(long_text(3000));
  for (std::size_t back = 1; back <= 8; ++back) {
    std::string damaged = whole;
    damaged[damaged.size() - back] ^= 1;
    EXPECT_THAT(failure(write("crc.gz", damaged)), HasSubstr("CRC")) << back;
  }
}

TEST_F(TextInputTest, GarbageBehindGzipIsAnError) {
  EXPECT_THAT(failure(write("g.gz", gzip("a\n") + "text")),
              HasSubstr("followed by something else"));
  EXPECT_THAT(failure(write("g.gz", gzip("a\n") + std::string(9, '\0') + "t")),
              HasSubstr("behind zeros"));
  EXPECT_THAT(failure(write("g.gz", gzip("a\n") + "\x1f")),
              HasSubstr("followed by something else"));
}

TEST_F(TextInputTest, BitFlipsInGzipNeverCrash) {
  const std::string text = long_text(2000);
  const std::string whole = gzip(text);
  for (std::size_t i = 0; i < 400; ++i) {
    std::string damaged = whole;
    damaged[i * 7919 % whole.size()] ^= static_cast<char>(1 << i % 8);
    try {
      read_everything(write("flip.gz", damaged));
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("flip.gz"));
    }
  }
}

TEST_F(TextInputTest, PeekDoesNotConsume) {
  const std::string text = long_text(50000);
  TextInput input(write("peek.gz", gzip(text)));
  EXPECT_EQ(input.peek(3), text.substr(0, 3));
  EXPECT_EQ(input.peek(65536), text.substr(0, 65536));
  std::string start(100, '\0');
  ASSERT_EQ(input.read(start.data(), 100), 100U);
  EXPECT_EQ(start, text.substr(0, 100));
  EXPECT_EQ(input.peek(65536), text.substr(100, 65536));
  EXPECT_EQ(input.read_all(1 << 30), text.substr(100));
  EXPECT_EQ(input.peek(10), "");
  EXPECT_EQ(input.stored_position(), input.stored_bytes());
}

TEST_F(TextInputTest, ReadAllRefusesMoreThanTheLimit) {
  TextInput input(write("bomb.gz", gzip(std::string(10'000'000, 'a'))));
  try {
    input.read_all(1 << 20);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("1048576"));
  }
}

TEST_F(TextInputTest, OtherKindsOfFilesAreRefusedWithAdvice) {
  EXPECT_THAT(failure(write("t.csv", "PK\x03\x04...")),
              HasSubstr("save the table as CSV"));
  EXPECT_THAT(failure(write("t.zst", "\x28\xB5\x2F\xFD...")),
              HasSubstr("zstd"));
  EXPECT_THAT(failure(write("t.bz2", "BZh91AY&SY...")), HasSubstr("bzip2"));
  EXPECT_THAT(failure(write("t.pq", "PAR1...")), HasSubstr("Parquet"));
  EXPECT_EQ(read_everything(write("bz.csv", "BZh9,text\n")), "BZh9,text\n");
}

TEST_F(TextInputTest, MissingFilesAndFoldersAreNamed) {
  EXPECT_THAT(failure((dir_ / "none.csv").string()),
              HasSubstr("none.csv: does not exist"));
  EXPECT_THAT(failure(dir_.path().string()), HasSubstr("is a folder"));
}

TEST_F(TextInputTest, ReadsStandardInputThatArrivesInSingleBytes) {
  const std::string text = long_text(40);
  for (const std::string& stored : {text, gzip(text), std::string("\x1f")}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int saved = ::dup(0);
    ::dup2(ends[0], 0);
    std::thread writer([&] {
      for (const char byte : stored) {
        ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      }
      ::close(ends[1]);
    });
    const std::string found = read_everything("-");
    writer.join();
    ::dup2(saved, 0);
    ::close(saved);
    ::close(ends[0]);
    EXPECT_EQ(found, stored.size() == 1 ? stored : text);
  }
}

}  // namespace
}  // namespace longformer
