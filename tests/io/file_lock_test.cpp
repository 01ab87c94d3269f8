// SPDX-License-Identifier: MIT
#include "longformer/io/file_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "longformer/io/fault_injection.h"
#include "longformer/io/file_system.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

class FileLockTest : public testing::Test {
 protected:
  /// A process that takes the lock and holds it until it is killed.
  pid_t start_holder() const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t process = fork();
    if (process == 0) {
      const auto lock = FileLock::try_take(path_);
      const char answer = lock ? 'y' : 'n';
      if (write(ends[1], &answer, 1) != 1) _exit(1);
      while (true) pause();
    }
    char answer = 'n';
    EXPECT_EQ(read(ends[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ends[0]);
    close(ends[1]);
    return process;
  }

  static void kill_holder(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  test::TempDir folder_;
  std::string path_ = (folder_ / "run.lock").string();
};

TEST_F(FileLockTest, HasOneHolderWhoseNumberIsKnown) {
  const pid_t holder = start_holder();
  EXPECT_FALSE(FileLock::try_take(path_));
  EXPECT_EQ(holder_of_lock(path_), std::to_string(holder));
  kill_holder(holder);
}

TEST_F(FileLockTest, IsReleasedWhenTheHolderIsKilled) {
  kill_holder(start_holder());
  EXPECT_TRUE(exists(path_));
  const auto lock = FileLock::try_take(path_);
  ASSERT_TRUE(lock);
  EXPECT_EQ(holder_of_lock(path_), std::to_string(getpid()));
}

TEST_F(FileLockTest, LeavesNoFileBehind) {
  {
    auto lock = FileLock::try_take(path_);
    const FileLock moved = *std::move(lock);
    EXPECT_TRUE(moved.is_in_place());
    EXPECT_FALSE(FileLock::try_take(path_));
  }
  EXPECT_FALSE(exists(path_));
  EXPECT_TRUE(FileLock::try_take(path_));
}

TEST_F(FileLockTest, LeavesTheFileOfAnotherHolderAlone) {
  auto first = FileLock::try_take(path_);
  std::filesystem::remove(path_);
  EXPECT_FALSE(first->is_in_place());
  const auto second = FileLock::try_take(path_);
  ASSERT_TRUE(second);
  first.reset();
  EXPECT_TRUE(second->is_in_place());
}

TEST_F(FileLockTest, AFolderThatCannotBeWrittenIsAnError) {
  const ScopedFileFaults faults([](const FileOperation& operation) {
    return operation.path.ends_with("run.lock") ? EROFS : 0;
  });
  try {
    FileLock::try_take(path_);
    FAIL() << "no error";
  } catch (const FileError& error) {
    EXPECT_EQ(error.error_number(), EROFS);
  }
}

}  // namespace
}  // namespace longformer
