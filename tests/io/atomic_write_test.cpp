// SPDX-License-Identifier: MIT
#include "longformer/io/atomic_write.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/fault_injection.h"
#include "longformer/io/file_system.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Content of all files below a folder, by path below it.
std::map<std::string, std::string> tree(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const DirectoryEntry& entry : list_directory(directory)) {
    const std::string path = join_path(directory, entry.name);
    if (!entry.is_directory) {
      files[entry.name] = read_file(path);
      continue;
    }
    for (const auto& [name, content] : tree(path)) {
      files[join_path(entry.name, name)] = content;
    }
  }
  return files;
}

/// Runs `action` in a process of its own that is killed at its n-th operation
/// on files. Returns whether it ran to the end.
bool run_and_die_at(int n, const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int count = 0;
    ScopedFileFaults faults([&](const FileOperation&) {
      if (++count == n) ::_exit(9);
      return 0;
    });
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class AtomicWriteTest : public ::testing::Test {
 protected:
  std::string path(std::string_view name) { return (dir_ / name).string(); }
  std::size_t num_entries() {
    return list_directory(dir_.path().string()).size();
  }

  /// Fails each operation in turn, until the action succeeds. After every
  /// failure `check` must find what it wants. Returns how many failed.
  int walk_faults(int error_number, const std::function<void()>& action,
                  const std::function<void()>& check) {
    for (int n = 1;; ++n) {
      int count = 0;
      bool has_failed = false;
      {
        ScopedFileFaults faults([&](const FileOperation&) {
          return ++count == n ? error_number : 0;
        });
        try {
          action();
        } catch (const FileError& error) {
          EXPECT_EQ(error.error_number(), error_number);
          has_failed = true;
        }
      }
      if (!has_failed && count < n) return n - 1;
      SCOPED_TRACE("operation " + std::to_string(n));
      check();
      if (HasFailure()) return n;
    }
  }

  test::TempDir dir_;
};

TEST_F(AtomicWriteTest, WritesAndReplaces) {
  const FileDigest written = write_file_atomically(path("f"), "one");
  EXPECT_EQ(read_file(path("f")), "one");
  EXPECT_EQ(written.bytes, 3U);
  EXPECT_EQ(written.digest, digest_of("one"));
  write_file_atomically(path("f"), "");
  EXPECT_EQ(read_file(path("f")), "");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(AtomicWriteTest, CollectsPiecesOfEverySize) {
  std::string expected;
  AtomicFile file(path("f"), 10'000'000);
  for (int i = 0; i < 200; ++i) {
    const std::string piece(static_cast<std::size_t>(i) * i * 17 % 600000,
                            static_cast<char>('a' + i % 26));
    file.write(piece);
    expected += piece;
  }
  EXPECT_EQ(file.bytes_written(), expected.size());
  EXPECT_FALSE(exists(path("f")));
  const FileDigest written = file.commit();
  EXPECT_EQ(written.digest, digest_of(expected));
  EXPECT_EQ(read_file(path("f")), expected);
}

TEST_F(AtomicWriteTest, WithoutCommitNothingStays) {
  write_file_atomically(path("f"), "old");
  {
    AtomicFile file(path("f"));
    file.write("new");
    EXPECT_EQ(num_entries(), 2U);
  }
  EXPECT_EQ(read_file(path("f")), "old");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(AtomicWriteTest, ShortWritesAreContinued) {
  int num_writes = 0;
  ScopedFileFaults faults([&](const FileOperation& operation) {
    if (std::string(operation.name) != "write") return 0;
    if (++num_writes % 3 == 0) return EINTR;
    *operation.bytes = std::min<std::size_t>(*operation.bytes, 7);
    return 0;
  });
  const std::string content(1000, 'x');
  write_file_atomically(path("f"), content);
  EXPECT_EQ(read_file(path("f")), content);
  EXPECT_GT(num_writes, 140);
}

TEST_F(AtomicWriteTest, EveryFailureLeavesTheOldFileOrTheNewOne) {
  const std::string old(300000, 'o');
  const std::string fresh(700000, 'n');
  for (const int error_number : {ENOSPC, EIO, EDQUOT}) {
    write_file_atomically(path("f"), old);
    const int num_failed = walk_faults(
        error_number, [&] { write_file_atomically(path("f"), fresh); },
        [&] {
          const std::string found = read_file(path("f"));
          EXPECT_TRUE(found == old || found == fresh);
          EXPECT_EQ(num_entries(), 1U);
        });
    EXPECT_GE(num_failed, 6);
    EXPECT_EQ(read_file(path("f")), fresh);
  }
}

TEST_F(AtomicWriteTest, OnlyTheLastStepMayFailWithTheNewFileInPlace) {
  write_file_atomically(path("f"), "old");
  std::vector<std::string> operations;
  {
    ScopedFileFaults faults([&](const FileOperation& operation) {
      operations.emplace_back(operation.name);
      return 0;
    });
    write_file_atomically(path("f"), "new");
  }
  EXPECT_THAT(operations,
              ::testing::ElementsAre("open", "fallocate", "write", "fsync",
                                     "close", "rename", "fsync"));
}

TEST_F(AtomicWriteTest, ADiskThatLiesIsNoticedBeforeTheRename) {
  write_file_atomically(path("f"), "old");
  ScopedFileFaults faults([&](const FileOperation& operation) {
    if (std::string(operation.name) == "fsync" &&
        operation.path.find(".partial-") != std::string::npos) {
      // Something damages the file behind our back.
      EXPECT_EQ(::truncate(operation.path.c_str(), 2), 0);
    }
    return 0;
  });
  try {
    write_file_atomically(path("f"), "new");
    FAIL() << "no error";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("2 bytes"), HasSubstr("3 bytes"),
                                    HasSubstr("faulty")));
  }
  EXPECT_EQ(read_file(path("f")), "old");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(AtomicWriteTest, AFullDiskIsNamedWithPathBytesAndReason) {
  ScopedFileFaults faults([&](const FileOperation& operation) {
    return std::string(operation.name) == "write" ? ENOSPC : 0;
  });
  try {
    write_file_atomically(path("f"), "12345");
    FAIL() << "no error";
  } catch (const FileError& error) {
    EXPECT_EQ(error.code(), ExitCode::kSystem);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(path("f")), HasSubstr("5 bytes"),
                      HasSubstr("No space left"), HasSubstr("free space")));
  }
}

TEST_F(AtomicWriteTest, TheSystemsOwnLimitIsHandledLikeAFullDisk) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file_atomically(path("big"), std::string(200000, 'x'));
    } catch (const FileError&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(num_entries(), 0U);
}

TEST_F(AtomicWriteTest, DyingAtAnyMomentLeavesAWholeFile) {
  write_file_atomically(path("f"), "old");
  int n = 1;
  while (!run_and_die_at(n, [&] { write_file_atomically(path("f"), "new"); })) {
    const std::string found = read_file(path("f"));
    EXPECT_TRUE(found == "old" || found == "new") << n;
    recover_leftovers(dir_.path().string());
    EXPECT_EQ(num_entries(), 1U) << n;
    write_file_atomically(path("f"), "old");
    ++n;
  }
  EXPECT_GE(n, 7);
  EXPECT_EQ(read_file(path("f")), "new");
}

TEST_F(AtomicWriteTest, AMissingFolderIsAnError) {
  EXPECT_THROW(write_file_atomically(path("none/f"), "x"), FileError);
}

/// Writes a folder of two files, one of them in a folder of its own.
void write_folder(const std::string& path, const std::string& content,
                  IfExists if_exists = IfExists::kReplace) {
  AtomicDirectory directory(path, if_exists);
  write_file_atomically(join_path(directory.path(), "a"), content);
  create_directories(join_path(directory.path(), "sub"));
  write_file_atomically(join_path(directory.path(), "sub/b"), content);
  directory.commit();
}

std::map<std::string, std::string> folder(const std::string& content) {
  return {{"a", content}, {"sub/b", content}};
}

TEST_F(AtomicWriteTest, AFolderAppearsAsAWhole) {
  {
    AtomicDirectory directory(path("x/y/step-1"));
    write_file_atomically(join_path(directory.path(), "a"), "1");
    EXPECT_FALSE(exists(path("x/y/step-1")));
    directory.commit();
  }
  EXPECT_EQ(read_file(path("x/y/step-1/a")), "1");
  EXPECT_EQ(list_directory(path("x/y")).size(), 1U);
}

TEST_F(AtomicWriteTest, AFolderWithoutCommitDisappears) {
  {
    AtomicDirectory directory(path("d"));
    write_file_atomically(join_path(directory.path(), "a"), "1");
  }
  EXPECT_EQ(num_entries(), 0U);
}

TEST_F(AtomicWriteTest, AnExistingFolderIsReplacedOnlyIfAsked) {
  write_folder(path("d"), "1");
  EXPECT_THROW(AtomicDirectory(path("d"), IfExists::kFail), ConfigError);
  {
    // It may also appear while the new one is written.
    AtomicDirectory late(path("e"), IfExists::kFail);
    write_folder(path("e"), "1");
    EXPECT_THROW(late.commit(), FileError);
    remove_tree(path("e"));
  }
  write_folder(path("d/"), "2");
  EXPECT_EQ(tree(path("d")), folder("2"));
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(AtomicWriteTest, AnEmptyFolderIsNoReasonToFail) {
  create_directories(path("d"));
  AtomicDirectory directory(path("d"), IfExists::kFail);
  write_file_atomically(join_path(directory.path(), "f"), "1");
  directory.commit();
  EXPECT_EQ(read_file(path("d/f")), "1");
}

TEST_F(AtomicWriteTest, AFolderThatIsNotWrittenLeavesNoParents) {
  { const AtomicDirectory directory(path("a/b/c")); }
  EXPECT_EQ(num_entries(), 0U);
  create_directories(path("a"));
  { const AtomicDirectory directory(path("a/b/c")); }
  EXPECT_TRUE(is_directory(path("a")));
  EXPECT_FALSE(exists(path("a/b")));
}

TEST_F(AtomicWriteTest, ErrorsNameTheTargetAndNotTheTemporaryFile) {
  try {
    write_file_atomically(path("nowhere/f"), "1");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(path("nowhere/f: cannot create")),
                                    Not(HasSubstr(".partial"))));
  }
}

TEST_F(AtomicWriteTest, LeftoversOfOneTargetAreCleanedAlone) {
  dir_.write("f.partial-1-2", "");
  dir_.write("g.partial-1-2", "");
  AtomicFile living(path("f"));
  recover_leftovers_of(path("f"));
  EXPECT_FALSE(exists(path("f.partial-1-2")));
  EXPECT_TRUE(exists(path("g.partial-1-2")));
  living.commit();
  AtomicFile doomed(path("h"));
  discard_unfinished_writes();
  EXPECT_EQ(num_entries(), 2U);
}

TEST_F(AtomicWriteTest, EveryFailureLeavesTheOldFolderOrTheNewOne) {
  for (const bool can_exchange : {true, false}) {
    write_folder(path("d"), "old");
    for (int n = 1;; ++n) {
      int count = 0;
      bool has_failed = false;
      {
        ScopedFileFaults faults([&](const FileOperation& operation) {
          if (++count == n) return ENOSPC;
          const bool is_exchange = std::string(operation.name) == "exchange";
          return is_exchange && !can_exchange ? EINVAL : 0;
        });
        try {
          write_folder(path("d"), "new");
        } catch (const FileError&) {
          has_failed = true;
        }
      }
      if (!has_failed && count < n) break;
      recover_leftovers(dir_.path().string());
      const auto found = tree(path("d"));
      ASSERT_TRUE(found == folder("old") || found == folder("new")) << n;
      ASSERT_EQ(num_entries(), 1U) << n;
      write_folder(path("d"), "old");
    }
    EXPECT_EQ(tree(path("d")), folder("new"));
  }
}

TEST_F(AtomicWriteTest, DyingAtAnyMomentLeavesAWholeFolder) {
  for (const bool can_exchange : {true, false}) {
    write_folder(path("d"), "old");
    int n = 1;
    const auto replace = [&] { write_folder(path("d"), "new"); };
    while (true) {
      const pid_t child = ::fork();
      if (child == 0) {
        int count = 0;
        ScopedFileFaults faults([&](const FileOperation& operation) {
          if (++count == n) ::_exit(9);
          const bool is_exchange = std::string(operation.name) == "exchange";
          return is_exchange && !can_exchange ? EINVAL : 0;
        });
        replace();
        ::_exit(0);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
      recover_leftovers(dir_.path().string());
      const auto found = tree(path("d"));
      ASSERT_TRUE(found == folder("old") || found == folder("new")) << n;
      ASSERT_EQ(num_entries(), 1U) << n;
      write_folder(path("d"), "old");
      ++n;
    }
    EXPECT_GE(n, 18);
    EXPECT_EQ(tree(path("d")), folder("new"));
  }
}

TEST_F(AtomicWriteTest, LeftoversOfLivingWritersAreLeftAlone) {
  AtomicFile file(path("f"));
  AtomicDirectory directory(path("d"));
  EXPECT_EQ(recover_leftovers(dir_.path().string()), 0);
  EXPECT_EQ(num_entries(), 2U);
  file.write("x");
  file.commit();
  directory.commit();
  EXPECT_EQ(read_file(path("f")), "x");
}

TEST_F(AtomicWriteTest, OnlyNamesOfOurOwnFormAreLeftovers) {
  dir_.write("f.partial-1-2", "");
  dir_.write("d.partial-33-0/x", "");
  dir_.write("gone.old-5-6/a", "old");
  dir_.write("there.old-5-6/a", "old");
  dir_.write("there/a", "new");
  dir_.write("f.partial", "");
  dir_.write("f.partial-1", "");
  dir_.write("f.partial-a-2", "");
  dir_.write("f.old-1-", "");
  dir_.write(".partial-1-2", "");
  EXPECT_TRUE(is_leftover_name("f.partial-1-2"));
  EXPECT_FALSE(is_leftover_name("f.partial"));
  EXPECT_EQ(recover_leftovers(dir_.path().string()), 4);
  EXPECT_FALSE(exists(path("f.partial-1-2")));
  EXPECT_FALSE(exists(path("d.partial-33-0")));
  EXPECT_EQ(read_file(path("gone/a")), "old");
  EXPECT_EQ(read_file(path("there/a")), "new");
  EXPECT_EQ(num_entries(), 7U);
}

}  // namespace
}  // namespace longformer
