// SPDX-License-Identifier: MIT
// Whatever kills or stops a process while it saves: a complete checkpoint
// stays, and no later one than the one that save() has reported gets lost.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/random.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/fault_injection.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_store.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

void save(CheckpointStore& store, std::int64_t step) {
  store.save(step, [step](const std::string& directory) {
    const std::string content(200'000, static_cast<char>('a' + step % 26));
    write_file_atomically(join_path(directory, "model.bin"), content);
    write_file_atomically(join_path(directory, "state.json"),
                          std::to_string(step));
  });
}

/// The newest checkpoint after the clean-up that a resumed run does; -1 if
/// none. Checks that its content is that of its step.
std::int64_t recovered_step(const std::string& root) {
  CheckpointStore store(root);
  store.remove_leftovers();
  const auto checkpoint = store.newest_valid();
  if (!checkpoint) return -1;
  EXPECT_EQ(read_file(join_path(checkpoint->directory, "state.json")),
            std::to_string(checkpoint->step));
  // Nothing but checkpoints is left.
  EXPECT_EQ(list_directory(root).size(), store.steps().size());
  return checkpoint->step;
}

/// Runs `body` in a child process; returns how it ended.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

class CheckpointCrashTest : public testing::Test {
 protected:
  CheckpointCrashTest() { set_log_level(LogLevel::kError); }
  ~CheckpointCrashTest() override { set_log_level(LogLevel::kInfo); }

  test::TempDir folder_;
  std::string root_ = (folder_ / "checkpoints").string();
};

/// Saves without end, pruning, and reports each finished step through `pipe`.
[[noreturn]] void save_for_ever(const std::string& root, int pipe) {
  CheckpointStore store(root);
  store.remove_leftovers();
  const auto newest = store.newest_valid();
  for (std::int64_t step = newest ? newest->step + 1 : 1;; ++step) {
    save(store, step);
    if (::write(pipe, &step, sizeof(step)) != sizeof(step)) ::_exit(1);
    store.prune(2);
  }
}

TEST_F(CheckpointCrashTest, KillingAtAnyMomentLosesNoReportedCheckpoint) {
  RandomStream random(random_key(3, RandomPurpose::kShuffle, 0), 0);
  std::int64_t newest_before = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) save_for_ever(root_, ends[1]);
    ::close(ends[1]);
    ::usleep(static_cast<useconds_t>(random.next_below(60'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::int64_t reported = newest_before;
    std::int64_t step = 0;
    while (::read(ends[0], &step, sizeof(step)) == sizeof(step)) {
      reported = step;
    }
    ::close(ends[0]);
    if (!exists(root_)) continue;
    const std::int64_t newest = recovered_step(root_);
    ASSERT_GE(newest, reported == 0 ? -1 : reported) << "round " << round;
    newest_before = std::max<std::int64_t>(newest, 0);
  }
  EXPECT_GT(newest_before, 0) << "the child never came to save anything";
}

/// Saves step 3 beside 2, or 2 again, in a child that dies at the n-th system
/// call, for every n. Returns the number of calls of a whole save.
int die_at_every_call(const std::string& root, std::int64_t step) {
  for (int fatal_call = 1;; ++fatal_call) {
    const int status = status_of_child([&] {
      int calls = 0;
      const ScopedFileFaults faults([&](const FileOperation&) {
        if (++calls == fatal_call) ::_exit(9);
        return 0;
      });
      CheckpointStore store(root);
      save(store, step);
    });
    EXPECT_TRUE(WIFEXITED(status));
    const std::int64_t newest = recovered_step(root);
    EXPECT_GE(newest, 2) << "died at call " << fatal_call;
    if (WEXITSTATUS(status) == 0) {
      EXPECT_EQ(newest, step);
      return fatal_call;
    }
    if (newest != 2) {  // It had appeared already: start again without it.
      remove_tree(join_path(root, "step-000003"));
    }
  }
}

TEST_F(CheckpointCrashTest, DyingAtAnySystemCallOfASaveKeepsTheLastOne) {
  CheckpointStore store(root_);
  save(store, 2);
  EXPECT_GT(die_at_every_call(root_, 3), 10);
}

TEST_F(CheckpointCrashTest, DyingAtAnySystemCallOfAReplacementKeepsOne) {
  CheckpointStore store(root_);
  save(store, 2);
  EXPECT_GT(die_at_every_call(root_, 2), 10);
}

TEST_F(CheckpointCrashTest, AFullDiskAtAnySystemCallKeepsTheLastOne) {
  CheckpointStore store(root_);
  save(store, 2);
  int failures = 0;
  for (int failing_call = 1;; ++failing_call) {
    int calls = 0;
    bool is_saved = false;
    try {
      const ScopedFileFaults faults([&](const FileOperation& operation) {
        const bool needs_room = std::string(operation.name) != "rename" &&
                                std::string(operation.name) != "unlink";
        return ++calls == failing_call && needs_room ? ENOSPC : 0;
      });
      save(store, 3);
      is_saved = true;
    } catch (const SystemError&) {
      ++failures;
    }
    // Once it has its name, only the sync of the folder can still fail.
    const std::int64_t newest = recovered_step(root_);
    ASSERT_TRUE(newest == 3 || (newest == 2 && !is_saved))
        << "call " << failing_call << ", newest is " << newest;
    if (calls < failing_call) break;
    remove_tree(join_path(root_, "step-000003"));
  }
  EXPECT_GT(failures, 5);
}

}  // namespace
}  // namespace longformer
