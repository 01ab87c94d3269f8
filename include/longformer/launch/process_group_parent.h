// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "longformer/launch/environment.h"

namespace longformer {

/// One process to be started.
struct RankProcess {
  int rank = 0;             ///< In the whole job; names the log.
  Environment environment;  ///< Set on top of the group's.
  /// Open descriptors that the process inherits under the same numbers. The
  /// parent closes its own once the process runs: a port must not stay open
  /// when the process that listens at it is gone.
  std::vector<int> inherited;
};

struct ProcessGroupOptions {
  /// What to execute. The default is this very program, also if its file was
  /// replaced meanwhile.
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments;  ///< argv, the program's name included.
  Environment environment;             ///< Of every process, complete.
  std::vector<RankProcess> ranks;      ///< Of this host, at least one.
  /// Created if missing; holds rank_N.log, to which each run appends.
  std::string log_directory;
  /// Where the output and the errors of the first process of `ranks` are
  /// copied to; -1: nowhere.
  int output_descriptor = 1;
  int error_descriptor = 2;
  /// The first process reads this one's standard input and writes to its
  /// standard output itself, which then goes to no log: for results.
  bool passes_streams = false;

  /// After a failure, from SIGTERM for the others to SIGKILL.
  std::chrono::milliseconds failure_grace{3500};
  /// How long to wait for a better reason before the above when the first that
  /// fails only says that another process did (exit code 6).
  std::chrono::milliseconds peer_grace{1000};
  /// From a stop signal for the whole group to SIGKILL for who is still there;
  /// below the 120 s that platforms wait.
  std::chrono::milliseconds stop_grace{100'000};
};

/// The first process that failed, and why.
struct RankFailure {
  int rank = 0;
  int exit_code = 0;    ///< 128 + n if signal n ended it.
  int signal = 0;       ///< What ended it, or 0.
  std::string message;  ///< Its report, else the last line of its log, else "".
  bool is_reported = false;  ///< `message` is its report.
  /// What another rank found out about it, if it could report nothing itself:
  /// where it was last seen.
  std::string witness;
  std::string log_path;
};

/// "rank 1: <message>" or "rank 1 was ended by signal 9 (Killed) ...", with the
/// name of the log.
std::string describe(const RankFailure& failure);

struct ProcessGroupResult {
  /// 0 if all ended with 0; the failure's; 128 + n after stop signal n.
  int exit_code = 0;
  /// The stop signal that ended the group, or 0.
  int stop_signal = 0;
  std::optional<RankFailure> failure;
};

/// Starts the processes of a job on this host and stays until all are gone.
///
/// Each process leads a process group of its own, so that a Ctrl-C reaches it
/// once, through this parent, and what it starts can be ended with it. Its
/// standard input is empty (but see passes_streams), its output and errors go
/// to its log; those of the first are also copied on. It finds the descriptor
/// for its failure report in LONGFORMER_REPORT_FD. The first need not say
/// itself what it reports: that is added to its log, and the caller shows it if
/// it is the cause.
///
/// A process that ends with another code than 0 ends the group: the others get
/// SIGTERM, then SIGKILL. The cause is the first that failed for a reason of
/// its own: exit code 6 (another process failed) counts only if there is no
/// better one. Exit codes 129, 130 and 143 mean that the process has saved
/// and stopped as it was told; then the others are awaited like after a stop
/// signal.
///
/// SIGTERM, SIGINT and SIGHUP (as SIGTERM) to this process are passed on once;
/// SIGINT after that ends everything at once. What was ignored stays ignored.
/// If this process dies in whatever way, the kernel ends the children with
/// SIGKILL (not what they have started).
///
/// Requires: the thread that calls lives until the end (its end would end the
/// children), no other thread takes those signals, and there are no children
/// besides. Signal handling is as before when it returns.
///
/// Throws SystemError if a process cannot be started or a log not be created;
/// nothing is left running then.
ProcessGroupResult run_process_group(const ProcessGroupOptions& options);

}  // namespace longformer
