// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace longformer::test {

struct RunOptions {
  /// Written to the program's standard input, which is then closed.
  std::string standard_input;
  /// After this the program and its children are killed.
  std::chrono::seconds timeout{240};
  /// Set on top of the test's own environment; an empty value unsets.
  std::map<std::string, std::string> environment;
  /// Empty: the test's own.
  std::filesystem::path working_directory;
};

struct RunResult {
  /// The exit status; -1 if a signal ended the program.
  int exit_code = -1;
  /// The signal that ended the program, or 0.
  int signal = 0;
  /// The time limit was reached, so run_program killed it.
  bool killed = false;
  std::string standard_output;
  std::string standard_error;
};

/// Runs a program to its end and returns all it said. `program` is a path or a
/// name to look up in PATH. The program gets a process group of its own, so
/// that a time-out also ends what it started. Throws std::system_error if it
/// cannot be started.
RunResult run_program(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments,
                      const RunOptions& options = {});

}  // namespace longformer::test
