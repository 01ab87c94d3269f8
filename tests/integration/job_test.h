// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "background_program.h"
#include "program_test.h"

namespace longformer::test {

using Variables = std::map<std::string, std::string>;

/// An address of the loopback network that no other test uses at this time: a
/// host of its own. `number`: 1, 2, ...
std::string loopback_host(int number = 1);

/// A process that `parent` has started whose environment has `entry`
/// ("RANK=1"), if there is one.
std::optional<pid_t> process_with(pid_t parent, const std::string& entry);

/// One process of a job, and what it ended with.
struct RankRun {
  int exit_code = -1;
  std::string log;
};

/// Tests that train a tiny model in a job of several processes, and compare
/// with the program's own two processes.
class JobTest : public ProgramTest {
 protected:
  JobTest();

  /// Trains the tiny model for ten steps with ragged batches and dropout; one
  /// thread a process.
  std::vector<std::string> command(const std::string& output) const;
  /// The same from a configuration file without places.
  std::string write_config(const std::string& name) const;

  /// Starts the program once for each set of variables.
  std::vector<std::unique_ptr<BackgroundProgram>> start_ranks(
      const std::vector<Variables>& ranks,
      const std::vector<std::string>& arguments) const;
  /// The same, and waits for all of them.
  std::vector<RankRun> run_ranks(
      const std::vector<Variables>& ranks,
      const std::vector<std::string>& arguments) const;
  /// The same; the exit codes have to be 0.
  void run_ranks_well(const std::vector<Variables>& ranks,
                      const std::vector<std::string>& arguments) const;

  /// Runs the job without a launcher in `processes` into reference/.
  void train_reference(int processes = 2,
                       const std::vector<std::string>& more = {}) const;
  /// Requires train_reference(): the model in the folder `model` has the same
  /// bits.
  void expect_reference(const std::string& model) const;
};

}  // namespace longformer::test
