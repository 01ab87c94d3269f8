// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "longformer/launch/launch_environment.h"

#include "launch_variables.h"

/// One reader for each kind of launcher whose variables are more than four
/// numbers. Each is called when its variables are there.
namespace longformer {

/// Fills rank, world size and the two local numbers from four variables that
/// must all be set, and checks that they fit each other.
struct RankNames {
  std::string_view rank;
  std::string_view world_size;
  std::string_view local_rank;
  std::string_view local_world_size;
};
void read_ranks(const LaunchVariables& variables, const RankNames& names,
                LaunchEnvironment& launch);

LaunchEnvironment read_own(const Environment& environment);
LaunchEnvironment read_torchrun(const Environment& environment);
LaunchEnvironment read_plain(const Environment& environment);

/// Whether this is a task that srun started beside others.
bool is_slurm_step(const Environment& environment);
/// Including the address of rank 0, from the list of nodes and the job's
/// number.
LaunchEnvironment read_slurm(const Environment& environment);

/// Throws ConfigError when the plain variables are set too and differ.
/// `names` are the launcher's own, to be named beside them.
void check_plain_agrees(const Environment& environment,
                        const LaunchEnvironment& launch,
                        const RankNames& names);

/// What the program's own children find, see child_environment.h.
inline constexpr RankNames kOwnNames{"LONGFORMER_RANK", "LONGFORMER_WORLD_SIZE",
                                     "LONGFORMER_LOCAL_RANK",
                                     "LONGFORMER_LOCAL_WORLD_SIZE"};
inline constexpr std::string_view kOwnRendezvous = "LONGFORMER_RENDEZVOUS";
inline constexpr std::string_view kOwnListen = "LONGFORMER_LISTEN_FD";
inline constexpr std::string_view kOwnKeyPrefix = "LONGFORMER_JOB_KEY";
inline constexpr std::string_view kOwnReport = "LONGFORMER_REPORT_FD";
inline constexpr std::string_view kOwnColumns = "LONGFORMER_TERMINAL_COLUMNS";

inline constexpr RankNames kPlainNames{"RANK", "WORLD_SIZE", "LOCAL_RANK",
                                       "LOCAL_WORLD_SIZE"};
inline constexpr RankNames kSlurmNames{"SLURM_PROCID", "SLURM_NTASKS",
                                       "SLURM_LOCALID", "SLURM_TASKS_PER_NODE"};

}  // namespace longformer
