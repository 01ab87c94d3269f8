// SPDX-License-Identifier: MIT
#include "longformer/io/file_system.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/digest.h"
#include "longformer/io/mapped_file.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FileSystemTest : public ::testing::Test {
 protected:
  std::string path(std::string_view name) { return (dir_ / name).string(); }

  /// errno and message of the FileError that `action` must throw.
  template <class Action>
  std::pair<int, std::string> failure(const Action& action) {
    try {
      action();
    } catch (const FileError& error) {
      EXPECT_EQ(error.code(), ExitCode::kSystem);
      return {error.error_number(), error.what()};
    }
    return {0, "no error"};
  }

  test::TempDir dir_;
};

TEST_F(FileSystemTest, ReadsFilesOfEverySize) {
  for (const std::size_t size : {0U, 1U, 4096U, 1U << 20, (1U << 20) + 1}) {
    const std::string content(size, 'x');
    dir_.write("f", content);
    EXPECT_EQ(read_file(path("f")), content);
    EXPECT_EQ(file_bytes(path("f")), size);
  }
  // A file whose size the system gives as 0.
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("VmRSS"));
}

TEST_F(FileSystemTest, ReadErrorsNameThePathAndTheReason) {
  auto [number, message] = failure([&] { read_file(path("none")); });
  EXPECT_EQ(number, ENOENT);
  EXPECT_THAT(message, AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_EQ(failure([&] { read_file(path("")); }).first, EISDIR);
  EXPECT_NE(failure([&] { read_file("/dev/zero"); }).first, 0);
  dir_.write("long", "12345");
  EXPECT_EQ(failure([&] { read_file(path("long"), 4); }).first, EFBIG);
  EXPECT_EQ(read_file(path("long"), 5), "12345");
}

TEST_F(FileSystemTest, APipeIsRefusedInsteadOfWaitedFor) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(failure([&] { read_file(path("pipe")); }).second,
              HasSubstr("not a regular file"));
  EXPECT_NE(failure([&] { MappedFile file(path("pipe")); }).first, 0);
}

TEST_F(FileSystemTest, ListsEntriesSorted) {
  dir_.write("b", "");
  dir_.write("a/x", "");
  const auto entries = list_directory(dir_.path().string());
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_TRUE(entries[0].is_directory);
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_FALSE(entries[1].is_directory);
  EXPECT_EQ(failure([&] { list_directory(path("none")); }).first, ENOENT);
}

TEST_F(FileSystemTest, CreatesMissingFoldersOnly) {
  create_directories(path("a/b/c"));
  create_directories(path("a/b/c/"));
  EXPECT_TRUE(is_directory(path("a/b/c")));
  dir_.write("file", "");
  EXPECT_NE(failure([&] { create_directories(path("file/x")); }).first, 0);
}

TEST_F(FileSystemTest, RemovesTreesWithoutFollowingLinks) {
  dir_.write("keep/file", "content");
  dir_.write("tree/x/y", "");
  std::filesystem::create_symlink(path("keep"), path("tree/link"));
  remove_tree(path("tree"));
  remove_tree(path("tree"));
  EXPECT_FALSE(exists(path("tree")));
  EXPECT_TRUE(exists(path("keep/file")));
}

TEST_F(FileSystemTest, SplitsAndJoinsPaths) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(parent_path("a/b"), "a");
  EXPECT_EQ(parent_path("a/b/"), "a");
  EXPECT_EQ(parent_path("b"), ".");
  EXPECT_EQ(parent_path("/b"), "/");
  EXPECT_EQ(parent_path("/"), "/");
  EXPECT_EQ(file_name("a/b"), "b");
  EXPECT_EQ(file_name("a/b//"), "b");
  EXPECT_EQ(file_name("b"), "b");
}

TEST_F(FileSystemTest, FreeSpaceIsThatOfTheNearestFolder) {
  EXPECT_GT(free_bytes(dir_.path().string()), 0U);
  EXPECT_GT(free_bytes(path("not/yet/there")), 0U);
  EXPECT_GT(free_bytes("not_yet_there"), 0U);
}

TEST_F(FileSystemTest, DigestsDoNotDependOnThePieces) {
  // The value of the reference implementation for an empty input.
  EXPECT_EQ(digest_of(""), "99aa06d3014798d86001c324468d497f");
  const std::string content(3'000'000, 'x');
  Digest digest;
  for (std::size_t at = 0; at < content.size(); at += 777) {
    digest.update(std::string_view(content).substr(at, 777));
  }
  EXPECT_EQ(digest.hex(), digest_of(content));
  dir_.write("f", content);
  const FileDigest found = digest_file(path("f"));
  EXPECT_EQ(found.bytes, content.size());
  EXPECT_EQ(found.digest, digest_of(content));
  EXPECT_NE(digest_of("a"), digest_of("b"));
}

TEST_F(FileSystemTest, MapsFilesAndReadsPartsOfThem) {
  std::string content;
  for (int i = 0; i < 20000; ++i) content += std::to_string(i);
  dir_.write("f", content);
  MappedFile file(path("f"));
  EXPECT_EQ(file.text(), content);
  std::string part(100, '\0');
  file.read_at(5000, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, content.substr(5000, 100));
  file.release(0, file.size());
  file.release(5000, 10);
  EXPECT_EQ(file.text(), content);
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.text(), content);
  part.resize(10);
  EXPECT_THAT(failure([&] {
                moved.read_at(content.size() - 5,
                              std::as_writable_bytes(std::span(part)));
              }).second,
              HasSubstr("the file ends after 5"));
}

// Long ranges are read in parts.
TEST_F(FileSystemTest, LongRangesAreReadWholeToWhereverAFileWasCut) {
  std::string content;
  while (content.size() < 3'000'001) {
    content += std::to_string(content.size()) + ",";
  }
  dir_.write("f", content);
  const MappedFile file(path("f"));
  std::string part(content.size() - 8, '\0');
  // Neither begins on a page.
  const auto tail = std::as_writable_bytes(std::span(part)).subspan(1);
  file.read_at(9, tail);
  EXPECT_EQ(part.front(), '\0');
  EXPECT_TRUE(std::string_view(part).substr(1) == content.substr(9));
  std::filesystem::resize_file(path("f"), 1'000'009);
  EXPECT_THAT(failure([&] { file.read_at(9, tail); }).second,
              AllOf(HasSubstr("the file ends after 1000000 of"),
                    HasSubstr("changed while it was read")));
}

TEST_F(FileSystemTest, RangesOfAMappingAreMadePresentUnlessTheyAreGone) {
  dir_.write("f", std::string(100'000, 'x'));
  const MappedFile file(path("f"));
  if (!file.make_present(5, 10)) GTEST_FAIL() << "kernel before 5.14";
  EXPECT_TRUE(file.make_present(50'001, 49'999));
  std::filesystem::resize_file(path("f"), 20'000);
  EXPECT_TRUE(file.make_present(19'000, 1000));
  EXPECT_THAT(failure([&] { file.make_present(50'001, 10); }).second,
              AllOf(HasSubstr("10 bytes at offset 50001"),
                    HasSubstr("changed while it was read")));
}

TEST_F(FileSystemTest, WritingToAMappedFileIsSeenReplacingItIsNot) {
  dir_.write("f", "one");
  const MappedFile file(path("f"));
  EXPECT_TRUE(file.is_unchanged());
  dir_.write("g", "two");
  std::filesystem::rename(path("g"), path("f"));
  EXPECT_TRUE(file.is_unchanged());
  EXPECT_EQ(file.text(), "one");

  const MappedFile second(path("f"));
  const auto modified = std::filesystem::last_write_time(path("f"));
  std::filesystem::last_write_time(path("f"),
                                   modified + std::chrono::nanoseconds(100));
  EXPECT_FALSE(second.is_unchanged());
  const MappedFile third(path("f"));
  std::filesystem::resize_file(path("f"), 2);
  EXPECT_FALSE(third.is_unchanged());
}

TEST_F(FileSystemTest, AnEmptyFileMapsToNothing) {
  dir_.write("e", "");
  const MappedFile file(path("e"));
  EXPECT_EQ(file.size(), 0U);
  EXPECT_TRUE(file.bytes().empty());
  file.release(0, 0);
}

}  // namespace
}  // namespace longformer
