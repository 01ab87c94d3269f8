// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "longformer/launch/environment.h"
#include "longformer/launch/rendezvous.h"

namespace longformer {

/// Who started this process as one of a job's.
enum class LauncherKind {
  kNone,      ///< Nobody: the program starts the processes itself.
  kOwn,       ///< The program itself, see child_environment.h.
  kTorchrun,  ///< torchrun, also with --no-python.
  kOpenMpi,
  kMvapich,
  kSlurm,  ///< srun with more than one task.
  kPmi,    ///< MPICH, Intel MPI and others with a PMI.
  kPlain,  ///< RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set by hand.
};

/// "Open MPI"; for messages.
std::string_view name_of(LauncherKind kind);

/// This process's place in the job, as its launcher says it.
struct LaunchEnvironment {
  LauncherKind kind = LauncherKind::kNone;
  int rank = 0;              ///< [0, world_size)
  int world_size = 1;        ///< Processes of the job.
  int local_rank = 0;        ///< [0, local_world_size), within the host.
  int local_world_size = 1;  ///< Processes of the job on this host.
  /// Whether the launcher gave the two local numbers. If not, they are a guess:
  /// all ranks on this host if they meet on the loopback interface, else one
  /// rank a host.
  bool is_local_known = true;
  Rendezvous rendezvous;

  // Only torchrun.
  int restart_count = 0;   ///< How often the job was started again.
  int max_restarts = 0;    ///< How often it may be.
  std::string run_id;      ///< The same for all restarts of a job.
  std::string error_file;  ///< Where the reason of a failure goes, or "".

  // Only kOwn.
  int report_descriptor = -1;  ///< Where the reason of a failure goes.
  int terminal_columns = 0;    ///< Width of the parent's terminal; 0: none.
};

/// Finds the launcher in `environment`. The program's own variables come
/// first, then torchrun's, then those of the MPI implementations and Slurm,
/// then the plain ones.
///
/// rendezvous_option: the value of --rendezvous, see parse_rendezvous(); ""
///   if it was not given. It replaces the address that the launcher gives, and
///   is needed where it gives none (MPI). The program's own children ignore
///   it.
///
/// A Slurm step of one task, and the shell of an interactive job, count as no
/// launcher: they are how one gets a machine for oneself. A batch script that
/// starts the program without srun looks like task 0 of the job; the message
/// of whoever waits for the other ranks in vain should name srun.
///
/// Throws ConfigError naming the variables and their values when some that
/// belong together are missing, are no numbers, are out of range or contradict
/// each other, when there is no rendezvous, or when the option has no effect.
LaunchEnvironment detect_launch_environment(
    const Environment& environment, std::string_view rendezvous_option = {});

/// Whether the program itself started this process as one of a job's, whatever
/// else is right or wrong with its variables. Never throws.
bool is_own_child(const Environment& environment);

/// "rank 1 of 4 (rank 1 of 2 on this host), started by torchrun, meeting at
/// 10.0.0.1:29500"; for the log.
std::string describe(const LaunchEnvironment& launch);

}  // namespace longformer
