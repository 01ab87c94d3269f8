// SPDX-License-Identifier: MIT
//
// Rows of a pipe: handed out as they arrive, the same whatever the pieces.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;

/// A named pipe that the test writes.
class Pipe {
 public:
  explicit Pipe(const std::string& name) : path_((dir_ / name).string()) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    // Read and write: opening does not wait for the other side.
    descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(descriptor_, 0);
  }
  ~Pipe() { finish(); }

  void write(std::string_view text) const {
    EXPECT_EQ(::write(descriptor_, text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void finish() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  const std::string& path() const { return path_; }

 private:
  TempDir dir_;
  std::string path_;
  int descriptor_ = -1;
};

/// The texts of what is read, or the error behind those before it.
std::vector<std::string> outcome(const std::string& path,
                                 const std::string& shown_name) {
  std::vector<std::string> texts;
  try {
    RecordReader reader({path}, ReaderSettings());
    std::vector<Record> records;
    while (reader.next_block(records, 1 << 20, 1)) {
      for (const Record& record : records) texts.push_back(record.text);
    }
  } catch (const DataError& error) {
    std::string message = error.what();
    const std::size_t at = message.find(path);
    if (at == 0) message.replace(0, path.size(), shown_name);
    texts.push_back(message);
  }
  return texts;
}

std::vector<std::string> outcome_in_pieces(const std::string& name,
                                           const std::string& content,
                                           std::size_t piece) {
  // Who refuses what was written does not read on.
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe(name);
  pipe.finish();
  std::thread writer([&] {
    // Waits for the reader.
    const int side = open(pipe.path().c_str(), O_WRONLY | O_CLOEXEC);
    for (std::size_t i = 0; i < content.size(); i += piece) {
      const std::string_view part = std::string_view(content).substr(i, piece);
      [[maybe_unused]] const auto written =
          ::write(side, part.data(), part.size());
      if (piece < 100) usleep(200);
    }
    close(side);
  });
  auto texts = outcome(pipe.path(), name);
  writer.join();
  return texts;
}

TEST(PipeReadingTest, EveryRowComesWhenItIsComplete) {
  struct Format {
    std::string name;
    std::string before;
    std::vector<std::string> rows;
  };
  const std::vector<Format> formats{
      {"a.jsonl", "", {"{\"text\": \"x\"}\n", "\n{\"text\": \"y\"}\n"}},
      {"b", "", {"{\"text\": \"x\"}\r\n", "{\"text\": \"y\"}\r\n"}},
      {"c.csv", "text,label\n", {"x,1\n", "\"y\",2\r\n"}},
      {"d", "\n\"text\";id\n", {"x;1\n", "y;\"2\n\"\n"}},
      {"e.json", "[", {"{\"text\": \"x\"},\n", "{\"text\": \"y\"}\n"}},
      {"f.txt", "", {"x\n", "y\n"}},
  };
  for (const auto& [name, before, rows] : formats) {
    SCOPED_TRACE(name);
    const Pipe pipe(name);
    RecordReader reader({pipe.path()}, ReaderSettings());
    std::vector<Record> records;
    pipe.write(before + rows[0]);
    ASSERT_TRUE(reader.next_block(records, 1 << 20, 1));
    EXPECT_THAT(texts_of(records), ElementsAre("x"));
    pipe.write(rows[1]);
    ASSERT_TRUE(reader.next_block(records, 1 << 20, 1));
    EXPECT_THAT(texts_of(records), ElementsAre("y"));
    // The beginning of a row does not hold up those before it.
    pipe.write(rows[0] + rows[1] + "{");
    if (name == "e.json") continue;  // The second row was not the last.
    ASSERT_TRUE(reader.next_block(records, 1 << 20, 1));
    EXPECT_THAT(texts_of(records), ElementsAre("x", "y"));
  }
}

TEST(PipeReadingTest, ThePiecesOfDeliveryChangeNothing) {
  const std::string good = "{\"text\": \"caf\xC3\xA9 \xE2\x82\xAC\"}\n";
  const std::string damaged = "{\"text\": \"caf\xE9\"}\n";
  std::string tabs = "text\tlabel\n";
  for (int i = 0; i < 40; ++i) tabs += "an inch is 1\"\t\"a\n";
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.jsonl", good + good + "\n" + good},
      {"b.jsonl", good + damaged + good},
      {"c.jsonl", damaged + good},
      {"d.csv", "text,label\r\n\"x\r\ny\",\"1\"\"\"\r\nz\xC3\xA9,2\r\n"},
      {"e.tsv", tabs},
      {"f.json", "[{\"text\": \"a]}\\\"\"},\n{\"text\": \"b\"} ]\n"},
      {"g.jsonl", "\xEF\xBB\xBF" + good},
      {"h.csv", "text,label\ncaf\xE9,1\n"},
      {"i.jsonl", good + "nonsense\n" + good},
      {"j.csv", "text\nx\n\"y\n"},
      {"k.jsonl", std::string("\x28\xB5\x2F\xFD zstd")},
      {"l.jsonl", "BZh91AY&SY12345"},
      {"m.csv", "text\n\x1B$B8l\x1B(B\n"},
  };
  for (const auto& [name, content] : files) {
    SCOPED_TRACE(name);
    const auto whole = outcome_in_pieces(name, content, content.size());
    EXPECT_FALSE(whole.empty());
    EXPECT_EQ(outcome_in_pieces(name, content, 1), whole);
    EXPECT_EQ(outcome_in_pieces(name, content, 7), whole);
    // A file has more to be judged by, but that differs for one of these only.
    if (name == "c.jsonl") continue;
    const TempDir dir;
    std::vector<std::string> of_file =
        outcome(dir.write(name, content).string(), name);
    if (name == "m.csv" || name == "h.csv") {
      EXPECT_EQ(of_file.back().substr(0, 30), whole.back().substr(0, 30));
    } else {
      EXPECT_EQ(of_file, whole);
    }
  }
}

TEST(PipeReadingTest, ErrorsComeBehindTheRowsBeforeThem) {
  const TempDir dir;
  const std::string path =
      dir.write("a.jsonl", "{\"text\": \"x\"}\n{\"text\": \"y\"}\n[]\n")
          .string();
  RecordReader reader({path}, ReaderSettings());
  std::vector<Record> records;
  ASSERT_TRUE(reader.next_block(records, 1 << 20, 1));
  EXPECT_THAT(texts_of(records), ElementsAre("x", "y"));
  EXPECT_THROW(reader.next_block(records, 1 << 20, 1), DataError);
}

}  // namespace
}  // namespace longformer::test
