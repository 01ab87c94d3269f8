// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <string>

#include "longformer/launch/process_group_parent.h"

#include "support/temp_dir.h"

namespace longformer::test {

/// A process group of shells that all run one script. $NUMBER is the rank,
/// $FOLDER a fresh folder.
class ShellGroup {
 public:
  ShellGroup(const std::string& script, int num_processes);

  /// With the output collected instead of shown.
  ProcessGroupResult run();
  std::chrono::milliseconds duration() const { return duration_; }

  std::string output() const;
  std::string error() const;
  std::string log(int rank) const;
  void write_log(int rank, const std::string& text) const;
  /// The number that a file in the folder holds, waiting for it to appear.
  pid_t number_in(const std::string& name) const;

  ProcessGroupOptions options;

 private:
  TempDir folder_;
  std::chrono::milliseconds duration_{0};
};

/// The same group, run by a process of its own that can be sent signals.
class ForkedGroup {
 public:
  explicit ForkedGroup(ShellGroup& group);
  ~ForkedGroup();
  ForkedGroup(const ForkedGroup&) = delete;
  ForkedGroup& operator=(const ForkedGroup&) = delete;

  void send(int signal_number) const;
  /// The result's exit code; 128 + n if signal n ended the process.
  int wait();

 private:
  pid_t pid_;
};

/// Whether the process has ended (a zombie has), waiting a little for it.
bool is_gone(pid_t pid);

/// What this process has used so far.
std::chrono::microseconds processor_time();

}  // namespace longformer::test
