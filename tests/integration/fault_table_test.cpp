// SPDX-License-Identifier: MIT
//
// Whatever becomes of one of two processes, and wherever in a training: the job
// ends soon, with one message that names the process and where it was.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "background_program.h"
#include "two_processes_test.h"

namespace longformer::test {
namespace {

using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int kTimeout = 5;  ///< collective_timeout, in seconds.

struct Cell {
  std::string kind;
  int rank = 0;
  std::string place;

  std::string text() const {
    return kind + ":" + std::to_string(rank) + ":" + place;
  }
  std::string folder() const {
    return kind + "_" + std::to_string(rank) + "_" + place;
  }
};

struct Ending {
  RunResult result;
  double seconds = 0;
};

class FaultTest : public TwoProcessesTest {
 protected:
  std::vector<std::string> command(const std::string& output) const {
    return train(output, {"--epochs", "2", "--collective-timeout",
                          std::to_string(kTimeout)});
  }

  Ending run_cell(const Cell& cell) const {
    auto arguments = command(cell.folder());
    if (cell.kind == "disk" && cell.place == "save") {
      // Else the best model is written first.
      const auto at = std::ranges::find(arguments, "--validation-data");
      arguments.erase(at, at + 2);
    }
    const auto start = std::chrono::steady_clock::now();
    Ending ending;
    ending.result = run_with_fault(arguments, cell.text());
    ending.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    std::printf("%-12s rank %d  %-11s %5.1f s  exit %3d\n", cell.kind.c_str(),
                cell.rank, cell.place.c_str(), ending.seconds,
                ending.result.exit_code);
    return ending;
  }

  /// Messages of errors on the terminal.
  static std::vector<std::string> errors_of(const Ending& ending) {
    std::istringstream lines(ending.result.standard_error);
    std::vector<std::string> errors;
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > 10 && line.substr(8, 3) == " E ") {
        errors.push_back(line.substr(11));
      }
    }
    return errors;
  }

  /// Quick means: as soon as the others notice. `code`: how the job ends.
  void expect_end(const Cell& cell, const Ending& ending, int code,
                  double within_seconds) const {
    const std::string all = ending.result.standard_error;
    EXPECT_EQ(ending.result.exit_code, code) << cell.text() << "\n" << all;
    EXPECT_LT(ending.seconds, within_seconds) << cell.text() << "\n" << all;
    const auto errors = errors_of(ending);
    ASSERT_EQ(errors.size(), 1U) << cell.text() << "\n" << all;
    EXPECT_THAT(errors[0], HasSubstr("rank " + std::to_string(cell.rank)))
        << cell.text();
    // There is no step yet while the data is read.
    if (cell.place == "reading") return;
    // It may not have had the time to tell of the step that it has begun.
    EXPECT_THAT(errors[0], ContainsRegex("step [23]")) << cell.text();
  }
};

class FaultTableTest
    : public FaultTest,
      public ::testing::WithParamInterface<std::tuple<std::string, int>> {
 protected:
  std::vector<Cell> cells() const {
    std::vector<Cell> row;
    for (const char* place :
         {"forward", "backward", "exchange", "save", "evaluation"}) {
      row.push_back({std::get<0>(GetParam()), std::get<1>(GetParam()), place});
    }
    return row;
  }
};

TEST_P(FaultTableTest, EndsTheJobAndNamesTheRankAndTheStep) {
  const std::string kind = std::get<0>(GetParam());
  const bool stops = kind == "stop";
  const int code = kind == "exception" ? 1
                   : kind == "exit"    ? 9
                   : kind == "kill"    ? 128 + SIGKILL
                                       : 6;
  std::vector<std::future<Ending>> endings;
  for (const Cell& cell : cells()) {
    // Those that wait for a timeout do it together.
    endings.push_back(
        std::async(stops ? std::launch::async : std::launch::deferred,
                   [this, cell] { return run_cell(cell); }));
  }
  for (std::size_t i = 0; i < endings.size(); ++i) {
    expect_end(cells()[i], endings[i].get(), code, stops ? kTimeout + 40 : 30);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cells, FaultTableTest,
    ::testing::Combine(::testing::Values("exception", "exit", "kill", "stop"),
                       ::testing::Values(0, 1)),
    [](const auto& tested) {
      return std::get<0>(tested.param) + "_on_rank_" +
             std::to_string(std::get<1>(tested.param));
    });

TEST_F(FaultTest, AFullDiskOfRank0EndsTheJob) {
  for (const char* place : {"evaluation", "save"}) {
    const Cell cell{"disk", 0, place};
    const Ending ending = run_cell(cell);
    expect_end(cell, ending, 7, 30);
    EXPECT_THAT(ending.result.standard_error, HasSubstr("No space left"));
  }
}

TEST_F(FaultTest, ARankThatDiesWhileOthersWaitForItsReadingEndsTheJob) {
  for (const char* kind : {"exception", "kill"}) {
    const Cell cell{kind, 0, "reading"};
    expect_end(cell, run_cell(cell),
               kind == std::string("kill") ? 128 + SIGKILL : 1, 30);
  }
}

/// Numbers of the processes with this folder on their command line.
std::vector<pid_t> processes_of(const std::string& folder) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name,
                             [](char c) { return c >= '0' && c <= '9'; })) {
      continue;
    }
    std::ifstream file(entry.path() / "cmdline");
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().find(folder) != std::string::npos) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

class ParentTest : public FaultTest {
 protected:
  /// Ends a running job's parent by a signal; returns how it ended.
  int end_parent(const std::string& output, int signal_number) {
    auto arguments = command(output);
    *(std::ranges::find(arguments, "--epochs") + 1) = "4000";
    BackgroundProgram program(LONGFORMER_FAULTY_PROGRAM, arguments,
                              path("log.txt"));
    EXPECT_TRUE(program.wait_until([&] {
      const std::string metrics = path(output + "/metrics.jsonl");
      return std::filesystem::exists(metrics) &&
             std::ranges::count(read_file(metrics), '\n') > 4;
    })) << program.log_text();
    program.send(signal_number);
    return program.wait();
  }

  void expect_nobody_left(const std::string& output) {
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (!processes_of(path(output)).empty() &&
           std::chrono::steady_clock::now() < until) {
      usleep(20'000);
    }
    EXPECT_TRUE(processes_of(path(output)).empty());
  }
};

TEST_F(ParentTest, SigtermSavesAndEndsAll) {
  EXPECT_EQ(end_parent("terminated", SIGTERM), 143);
  expect_nobody_left("terminated");
  EXPECT_FALSE(std::filesystem::is_empty(path("terminated/checkpoints")));
}

TEST_F(ParentTest, SigkillEndsAll) {
  EXPECT_EQ(end_parent("killed", SIGKILL), -SIGKILL);
  expect_nobody_left("killed");
}

}  // namespace
}  // namespace longformer::test
