// SPDX-License-Identifier: MIT
// Pathological texts: time grows with the text, memory stays bounded.
#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "longformer/base/random.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

const Tokenizer& bpe() {
  static const auto tokenizer = load_tokenizer(bpe_directory());
  return *tokenizer;
}

Ids encode(const Tokenizer& tokenizer, const std::string& text) {
  Ids ids;
  tokenizer.encode_ordinary(text, ids);
  return ids;
}

/// CPU time of this thread: other programs on the machine do not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_for(const Tokenizer& tokenizer, const std::string& text) {
  double best = 1e9;
  for (int i = 0; i < 2; ++i) {
    const double start = cpu_seconds();
    encode(tokenizer, text);
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

std::string random_text(std::size_t size, std::string_view alphabet) {
  RandomStream random({1, 2}, 3);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += alphabet[random.next_below(alphabet.size())];
  }
  return text;
}

/// Ten times the text may take 35 times as long: a quadratic method takes 100
/// times, a linear one up to 25 when its tables outgrow the caches.
void expect_linear(const std::function<std::string(std::size_t)>& make) {
  const double small = seconds_for(bpe(), make(100'000));
  const double large = seconds_for(bpe(), make(1'000'000));
  EXPECT_LE(large, 35 * small + 0.1);
}

std::string repeated(std::size_t size, std::string_view unit) {
  std::string text;
  while (text.size() < size) text += unit;
  return text;
}

TEST(LongTextTest, MillionEqualLettersTakeLinearTime) {
  expect_linear([](std::size_t n) { return std::string(n, 'a'); });
}

TEST(LongTextTest, MillionBlanksTakeLinearTime) {
  expect_linear([](std::size_t n) { return std::string(n, ' '); });
}

TEST(LongTextTest, MillionUnderscoresTakeLinearTime) {
  expect_linear([](std::size_t n) { return std::string(n, '_'); });
}

TEST(LongTextTest, MillionRandomLettersTakeLinearTime) {
  expect_linear([](std::size_t n) {
    return random_text(n, "abcdefghijklmnopqrstuvwxyz");
  });
}

TEST(LongTextTest, Base64InOneLineTakesLinearTime) {
  expect_linear([](std::size_t n) {
    return random_text(n,
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                       "qrstuvwxyz0123456789+/");
  });
}

TEST(LongTextTest, SpecialTokensAndBlanksTakeLinearTime) {
  expect_linear([](std::size_t n) { return repeated(n, "</s>"); });
  expect_linear([](std::size_t n) { return repeated(n, "     <mask>"); });
  expect_linear([](std::size_t n) { return repeated(n, "<"); });
  expect_linear([](std::size_t n) { return repeated(n, " \n\t"); });
}

TEST(LongTextTest, FifteenMegabytesInOneLine) {
  const std::string text =
      repeated(15'000'000, "{\"name\":\"value\",\"n\":12}");
  const Ids ids = encode(bpe(), text);
  EXPECT_GT(ids.size(), 1'000'000U);
  EXPECT_EQ(bpe().decode(ids, false).size(), text.size());
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(LongTextTest, NewWordsDoNotFillMemory) {
  encode(bpe(), "warm up");
  RandomStream random({4, 5}, 6);
  const std::int64_t before = resident_bytes();
  for (int document = 0; document < 1000; ++document) {
    std::string text;
    for (int word = 0; word < 1000; ++word) {
      for (int i = 0; i < 12; ++i) {
        text += static_cast<char>('a' + random.next_below(26));
      }
      text += ' ';
    }
    encode(bpe(), text);
  }
  EXPECT_LE(resident_bytes() - before, 50 << 20);
}

TEST(LongTextTest, ThreadsShareOneTokenizer) {
  std::vector<std::string> texts;
  for (const Json& row : read_json_lines(bpe_golden("strings.jsonl"))) {
    texts.push_back(row["text"].get<std::string>());
  }
  std::vector<Ids> expected;
  for (const std::string& text : texts) expected.push_back(encode(bpe(), text));
  std::vector<std::thread> threads;
  std::vector<int> differences(4, 0);
  for (int& count : differences) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < texts.size(); ++i) {
        count += encode(bpe(), texts[i]) == expected[i] ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differences, std::vector<int>(4, 0));
}

TEST(LongTextTest, SentencePieceTakesLinearTimeToo) {
  for (const char* model : {"unigram.model", "bpe.model"}) {
    const TempDir directory;
    directory.write("a.model", read_file(spm_golden(model)));
    const auto tokenizer = load_tokenizer(directory.path().string());
    const auto seconds = [&](std::size_t bytes) {
      return seconds_for(*tokenizer,
                         repeated(bytes, "the long document of words. "));
    };
    EXPECT_LE(seconds(2'000'000), 35 * seconds(200'000) + 0.1) << model;
  }
}

}  // namespace
}  // namespace longformer::test
