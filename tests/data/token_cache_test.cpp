// SPDX-License-Identifier: MIT
#include "longformer/data/token_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "longformer/base/log.h"
#include "longformer/io/fault_injection.h"

#include "fake_tokenizer.h"
#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

EncodeOptions options() {
  EncodeOptions options;
  options.max_length = 16;
  options.vocab_size = 260;
  options.max_position_embeddings = 100;
  return options;
}

constexpr std::string_view kContent =
    "{\"text\": \"abc\", \"label\": \"x\"}\n"
    "{\"input_ids\": [0, 7, 2], \"global_attention\": [1], \"label\": \"y\"}\n"
    "{\"text\": \"a text that is too long\", \"label\": [1, 2]}\n"
    "{\"text\": \"another that is too long\", \"global_attention\": "
    "[0, 20, 21]}\n";

class TokenCacheTest : public ::testing::Test {
 protected:
  Dataset load(const EncodeOptions& encode = options(),
               const ReaderSettings& settings = {}) {
    RecordReader reader({path_}, settings);
    use_ = {};
    return TokenCache(directory_)
        .load_or_build(reader, &tokenizer_, encode, 2, {}, &use_);
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      files.push_back(entry.path().string());
    }
    return files;
  }

  TempDir dir_;
  std::string path_ = dir_.write("a.jsonl", kContent).string();
  std::string directory_ = (dir_ / "cache").string();
  FakeTokenizer tokenizer_;
  TokenCacheUse use_;
};

TEST_F(TokenCacheTest, GivesTheSameDataSetWithoutTokenising) {
  const Dataset built = load();
  EXPECT_FALSE(use_.hit);
  const int calls = tokenizer_.calls();
  const Dataset cached = load();
  EXPECT_TRUE(use_.hit);
  EXPECT_EQ(tokenizer_.calls(), calls);
  ASSERT_EQ(cached.size(), built.size());
  EXPECT_EQ(cached.fingerprint(), built.fingerprint());
  EXPECT_EQ(cached.num_truncated(), 2);
  for (const Dataset* dataset : {&built, &cached}) {
    EXPECT_EQ(dataset->columns().lost_globals.positions, 2);
    EXPECT_EQ(dataset->columns().lost_globals.documents, 1);
  }
  for (std::int64_t row = 0; row < built.size(); ++row) {
    EXPECT_EQ(cached.raw_label(row), built.raw_label(row));
    EXPECT_EQ(cached.describe(row), built.describe(row));
    EXPECT_EQ(cached.cut_tokens(row), built.cut_tokens(row));
  }
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(TokenCacheTest, FindsTheEntryWhereverTheFileLies) {
  load();
  path_ = dir_.write("elsewhere/b.jsonl", kContent).string();
  const Dataset cached = load();
  EXPECT_TRUE(use_.hit);
  EXPECT_EQ(cached.describe(0), path_ + ":1:1");
}

TEST_F(TokenCacheTest, BuildsAnewWhenAnythingChanges) {
  load();
  EncodeOptions longer = options();
  longer.max_length = 20;
  load(longer);
  EXPECT_FALSE(use_.hit);
  ReaderSettings settings;
  settings.label_column = "id";
  load(options(), settings);
  EXPECT_FALSE(use_.hit);
  const FakeTokenizer other("2");
  RecordReader reader({path_}, {});
  TokenCache(directory_).load_or_build(reader, &other, options(), 1, {}, &use_);
  EXPECT_FALSE(use_.hit);
  dir_.write("a.jsonl", std::string(kContent) + "{\"text\": \"\"}\n");
  EXPECT_EQ(load().size(), 5);
  EXPECT_FALSE(use_.hit);
  load();
  EXPECT_TRUE(use_.hit);
}

TEST_F(TokenCacheTest, RebuildsDamagedEntries) {
  const std::uint64_t fingerprint = load().fingerprint();
  const std::string entry = entries().at(0);
  const std::string good = read_file(entry);
  for (std::size_t at = 0; at < good.size(); at += 37) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(entry, std::ios::binary) << bad;
    EXPECT_EQ(load().fingerprint(), fingerprint);
    EXPECT_FALSE(use_.hit) << at;
    EXPECT_EQ(read_file(entry), good);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{100}, good.size() - 1}) {
    std::ofstream(entry, std::ios::binary) << good.substr(0, size);
    EXPECT_EQ(load().fingerprint(), fingerprint);
    EXPECT_FALSE(use_.hit) << size;
  }
}

TEST_F(TokenCacheTest, DoesWithoutWhenItCannotWrite) {
  std::string warnings;
  set_log_observer([&](LogLevel level, std::string_view message) {
    if (level == LogLevel::kWarning) warnings += message;
  });
  {
    const ScopedFileFaults faults([](const FileOperation& operation) {
      return std::string_view(operation.name) == "write" ? ENOSPC : 0;
    });
    EXPECT_EQ(load().size(), 4);
  }
  EXPECT_THAT(warnings, HasSubstr("not written"));
  EXPECT_TRUE(entries().empty());
  warnings.clear();
  directory_ = dir_.write("a file", "").string();
  EXPECT_EQ(load().size(), 4);
  set_log_observer({});
  EXPECT_THAT(warnings, HasSubstr("no token cache"));
}

TEST_F(TokenCacheTest, LetsOneProcessDoTheWorkForAll) {
  constexpr int kProcesses = 4;
  std::string content;
  for (int i = 0; i < 20000; ++i) content += std::string(kContent);
  path_ = dir_.write("big.jsonl", content).string();
  pid_t children[kProcesses];
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) {
      set_log_level(LogLevel::kError);
      const Dataset dataset = load();
      // 1: it found the entry, 2: it made it, 9: something is wrong.
      _exit(dataset.size() != 80000 ? 9 : use_.hit ? 1 : 2);
    }
  }
  int built = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 9);
    built += WEXITSTATUS(status) == 2 ? 1 : 0;
  }
  EXPECT_EQ(built, 1);
  EXPECT_EQ(entries().size(), 1U);  // No lock file is left.
}

TEST_F(TokenCacheTest, IsNotKeptFromWorkByADeadProcess) {
  std::filesystem::create_directory(directory_);
  load();
  const std::string entry = entries().at(0);
  std::filesystem::remove(entry);
  std::ofstream(entry + ".lock") << "";  // Nobody holds it.
  std::ofstream(entry + ".partial-x") << "rest";
  EXPECT_EQ(load().size(), 4);
  load();
  EXPECT_TRUE(use_.hit);
}

TEST_F(TokenCacheTest, RemembersThatRowsWereSkipped) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 1;
  dir_.write("a.jsonl", std::string(kContent) + "{\n");
  load(options(), settings);
  std::string warnings;
  set_log_observer([&](LogLevel level, std::string_view message) {
    if (level == LogLevel::kWarning) warnings += message;
  });
  load(options(), settings);
  set_log_observer({});
  EXPECT_TRUE(use_.hit);
  EXPECT_THAT(warnings, HasSubstr("lacks 1 unusable rows"));
}

}  // namespace
}  // namespace longformer::test
