// SPDX-License-Identifier: MIT
#include "longformer/launch/pipe_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PipeCopyTest : public ::testing::Test {
 protected:
  void make_pipe() const { ASSERT_EQ(mkfifo(pipe_.c_str(), 0600), 0); }

  /// Fills the pipe from another thread, after a while.
  std::jthread writer(const std::string& content) const {
    return std::jthread([this, content] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      const int side = open(pipe_.c_str(), O_WRONLY | O_CLOEXEC);
      const std::size_t half = content.size() / 2;
      EXPECT_EQ(write(side, content.data(), half), static_cast<ssize_t>(half));
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      EXPECT_EQ(write(side, content.data() + half, content.size() - half),
                static_cast<ssize_t>(content.size() - half));
      close(side);
    });
  }

  std::string problem(const PipeCopySettings& settings) const {
    try {
      copy_pipe(pipe_, file_, settings);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  test::TempDir directory_;
  std::string pipe_ = (directory_ / "train_0").string();
  std::string file_ = (directory_ / "copy").string();
};

TEST_F(PipeCopyTest, TakesEverythingBetweenPausesAndOnlyThat) {
  make_pipe();
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += std::to_string(i) + "\n";
  const auto thread = writer(content);
  EXPECT_TRUE(copy_pipe(pipe_, file_));
  EXPECT_EQ(test::read_file(file_), content);
}

TEST_F(PipeCopyTest, WaitsForAPipeThatIsNotThereYet) {
  const std::jthread maker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    make_pipe();
    writer("late").join();
  });
  EXPECT_TRUE(copy_pipe(pipe_, file_));
  EXPECT_EQ(test::read_file(file_), "late");
}

TEST_F(PipeCopyTest, GivesUpWhenNobodyComes) {
  PipeCopySettings settings;
  settings.start_timeout = std::chrono::milliseconds(1);
  EXPECT_THAT(problem(settings), AllOf(HasSubstr("train_0: does not exist"),
                                       HasSubstr("FastFile")));
  make_pipe();
  EXPECT_THAT(problem(settings), HasSubstr("train_0: nobody wrote into it"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(PipeCopyTest, StopsWhenToldTo) {
  PipeCopySettings settings;
  settings.should_stop = [] { return true; };
  EXPECT_FALSE(copy_pipe(pipe_, file_, settings));
  make_pipe();
  EXPECT_FALSE(copy_pipe(pipe_, file_, settings));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace longformer
