// SPDX-License-Identifier: MIT
//
// Damaged copies of every kind of data file: a clear error or a result, and
// never a crash, a hang or much memory. Most useful under the sanitizers.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/data/build_dataset.h"
#include "longformer/data/packed_batch.h"
#include "longformer/data/summary.h"

#include "fake_tokenizer.h"
#include "io/allocation_counter.h"
#include "io/mutator.h"
#include "reader_testing.h"

namespace longformer::test {
namespace {

constexpr int kNumCopies = 300;

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

std::string json_rows(const std::string& separator) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    if (i > 0) text += separator;
    text += i % 4 == 3
                ? "{\"input_ids\": [0, 5, " + std::to_string(i) +
                      ", 2], \"global_attention\": [0, 2], \"label\": \"b\", "
                      "\"token_type_ids\": [0, 0, 0, 0]}"
                : "{\"text\": \"row \\u00e9 \\ud83d\\ude00 " +
                      std::to_string(i) + "\", \"label\": \"a\", \"id\": [" +
                      std::to_string(i) + ", {\"k\": null}]}";
  }
  return text;
}

std::string table(char delimiter) {
  std::string text =
      std::string("id") + delimiter + "text" + delimiter + "label\r\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + delimiter + "\"a \"\"quoted\"\"\n text" +
            delimiter + " ä\"" + delimiter + (i % 2 == 0 ? "x" : "y") + "\r\n";
  }
  return text;
}

std::string utf16(const std::string& ascii) {
  std::string bytes = "\xFF\xFE";
  for (const char c : ascii) bytes += {c, '\0'};
  return bytes;
}

struct Kind {
  const char* name;
  std::string content;
};

std::vector<Kind> kinds() {
  return {{"a.jsonl", json_rows("\n")},
          {"a.json", "[" + json_rows(",\n") + "]"},
          {"a.csv", table(',')},
          {"a.tsv", table('\t')},
          {"b.csv", utf16("text,label\n\"a,b\",c\nd,e\n")},
          {"a.txt", "one line\nanother line\n"},
          {"a.csv.gz", gzip(table(',')) + gzip(table(','))},
          {"a.jsonl.gz", gzip(json_rows("\n"))}};
}

/// Reads, encodes, decides labels and packs; true if all of it went through.
bool use(const std::string& path) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 1000;
  EncodeOptions options;
  options.max_length = 64;
  options.vocab_size = 300;
  options.max_position_embeddings = 66;
  const FakeTokenizer tokenizer;
  try {
    RecordReader reader({path}, settings);
    Dataset dataset = build_dataset(reader, &tokenizer, options, 2);
    LabelCollector collector({});
    dataset.collect_labels(collector);
    dataset.set_targets(collector.decide());
    pack(dataset, EvaluationGroup{0, dataset.size(), dataset.num_tokens()});
    return true;
  } catch (const DataError& error) {
    // Every message says where.
    EXPECT_NE(std::string(error.what()).find(": "), std::string::npos);
    return false;
  }
}

bool summarize_file(const std::string& path) {
  ReaderSettings settings;
  settings.reading.encoding = TextEncoding::kUtf8;
  settings.reading.max_bad_rows = 1000;
  try {
    RecordReader reader({path}, settings);
    to_json(summarize(reader, nullptr, 2)).dump();
    return true;
  } catch (const DataError&) {
    return false;
  }
}

TEST(DataMutationTest, EveryDamagedFileIsReadOrRefused) {
  set_log_level(LogLevel::kError);
  for (const Kind& kind : kinds()) {
    Mutator mutator(kind.content.size());
    const TempDir dir;
    int num_read = 0;
    for (int copy = 0; copy < kNumCopies; ++copy) {
      const std::string content =
          copy == 0 ? kind.content : mutator.mutate(kind.content);
      // A new file: some systems write replaced ones to disk at once.
      std::filesystem::remove(dir / kind.name);
      const std::string path = dir.write(kind.name, content).string();
      const auto start = std::chrono::steady_clock::now();
      reset_peak_allocated_bytes();
      const std::int64_t before = allocated_bytes();
      const bool read = use(path);
      summarize_file(path);
      num_read += read ? 1 : 0;
      EXPECT_LE(peak_allocated_bytes() - before,
                static_cast<std::int64_t>(4 * content.size()) + (64 << 20));
      EXPECT_LT(std::chrono::steady_clock::now() - start,
                std::chrono::seconds(20));
      // Text has no labels to learn from.
      EXPECT_TRUE(copy > 0 || read || kind.name == std::string("a.txt"));
    }
    RecordProperty(std::string("read_") + kind.name, num_read);
  }
  set_log_level(LogLevel::kInfo);
}

TEST(DataMutationTest, OneLongLineTakesLinearTimeAndMemory) {
  constexpr std::int64_t kBytes = 15 << 20;
  const std::string word = "word \\n\\u00e9 ";
  std::string text;
  while (text.size() < kBytes) text += word;
  const TempDir dir;
  for (const Kind& kind :
       {Kind{"a.jsonl", "{\"text\": \"" + text + "\"}"},
        Kind{"a.json", "[{\"text\": \"" + text + "\"}]"},
        Kind{"a.csv", "text,label\n\"" + text + "\",x"}, Kind{"a.txt", text}}) {
    const std::string path = dir.write(kind.name, kind.content).string();
    reset_peak_allocated_bytes();
    const std::int64_t before = allocated_bytes();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(read_files({path}).size(), 1U);
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(10));
    EXPECT_LE(peak_allocated_bytes() - before, 4 * kBytes + (64 << 20))
        << kind.name;
  }
}

TEST(DataMutationTest, ManyRowsTakeNoMoreMemoryThanFew) {
  std::string content = "text,label\n";
  while (content.size() < (48U << 20)) content += "some words in a row,x\n";
  const TempDir dir;
  const std::string path = dir.write("a.csv", content).string();
  RecordReader reader({path}, {});
  reset_peak_allocated_bytes();
  const std::int64_t before = allocated_bytes();
  Record record;
  while (reader.next(record)) {
  }
  EXPECT_GT(reader.rows(), 2000000);
  EXPECT_LE(peak_allocated_bytes() - before, 4 << 20);
}

}  // namespace
}  // namespace longformer::test
