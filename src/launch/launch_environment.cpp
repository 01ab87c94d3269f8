// SPDX-License-Identifier: MIT
#include "longformer/launch/launch_environment.h"

#include <optional>
#include <utility>

#include "longformer/base/error.h"

#include "launcher_readers.h"

namespace longformer {
namespace {

constexpr RankNames kOpenMpiNames{
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr RankNames kMvapichNames{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
                                  "MV2_COMM_WORLD_LOCAL_RANK",
                                  "MV2_COMM_WORLD_LOCAL_SIZE"};
constexpr RankNames kHydraNames{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
                                "MPI_LOCALNRANKS"};
constexpr RankNames kPmiNames{"PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK",
                              "PMI_LOCAL_SIZE"};

/// Launchers that give four numbers and no address.
LaunchEnvironment read_mpi(const Environment& environment, LauncherKind kind,
                           const RankNames& names) {
  LaunchEnvironment launch;
  launch.kind = kind;
  read_ranks({environment, name_of(kind)}, names, launch);
  check_plain_agrees(environment, launch, names);
  const LaunchVariables variables(environment, name_of(kind));
  if (variables.has_any({"MASTER_ADDR", "MASTER_PORT"})) {
    variables.require({"MASTER_ADDR", "MASTER_PORT"});
    launch.rendezvous.kind = Rendezvous::Kind::kAddress;
    launch.rendezvous.host = variables.text("MASTER_ADDR");
    launch.rendezvous.port = variables.number("MASTER_PORT", 1, kMaxPort);
  }
  return launch;
}

/// srun can speak PMI too, and mpiexec uses srun to start its proxies, whose
/// children then find the proxy's SLURM_PROCID beside their own PMI_RANK.
LaunchEnvironment read_slurm_or_pmi(const Environment& environment) {
  const LaunchVariables variables(environment, "PMI");
  const bool is_hydra =
      variables.has_any({kHydraNames.local_rank, kHydraNames.local_world_size});
  if (!is_slurm_step(environment) || is_hydra) {
    return read_mpi(environment, LauncherKind::kPmi,
                    is_hydra ? kHydraNames : kPmiNames);
  }
  LaunchEnvironment launch = read_slurm(environment);
  const auto refuse_unless = [&](std::string_view pmi, std::string_view slurm,
                                 int value) {
    if (!variables.has(pmi) ||
        variables.number(pmi, 0, kMaxProcesses) == value) {
      return;
    }
    throw ConfigError("launcher: " + variables.shown(pmi) + " contradicts " +
                      std::to_string(value) + " from Slurm's " +
                      std::string(slurm) + "; unset one of them");
  };
  refuse_unless("PMI_RANK", kSlurmNames.rank, launch.rank);
  refuse_unless("PMI_SIZE", kSlurmNames.world_size, launch.world_size);
  return launch;
}

LaunchEnvironment read_launcher(const Environment& environment) {
  if (is_own_child(environment)) return read_own(environment);
  const LaunchVariables variables(environment, "");
  if (variables.has_any({"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT",
                         "TORCHELASTIC_USE_AGENT_STORE"})) {
    return read_torchrun(environment);
  }
  if (variables.has_any({kOpenMpiNames.rank, kOpenMpiNames.world_size})) {
    return read_mpi(environment, LauncherKind::kOpenMpi, kOpenMpiNames);
  }
  if (variables.has_any({kMvapichNames.rank, kMvapichNames.world_size})) {
    return read_mpi(environment, LauncherKind::kMvapich, kMvapichNames);
  }
  if (variables.has_any({kPmiNames.rank, kPmiNames.world_size})) {
    return read_slurm_or_pmi(environment);
  }
  if (is_slurm_step(environment)) return read_slurm(environment);
  if (variables.has_any({"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                         "MASTER_ADDR", "MASTER_PORT"})) {
    return read_plain(environment);
  }
  return {};
}

void refuse_without_effect(std::string_view option, const std::string& why) {
  throw ConfigError("rendezvous: has no effect " + why + ", got " +
                    std::string(option) + "; leave it out");
}

}  // namespace

bool is_own_child(const Environment& environment) {
  return LaunchVariables(environment, "")
      .has_any({kOwnNames.rank, kOwnNames.world_size, kOwnNames.local_rank,
                kOwnNames.local_world_size, kOwnRendezvous});
}

std::string_view name_of(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::kNone:
      return "no launcher";
    case LauncherKind::kOwn:
      return "longformer";
    case LauncherKind::kTorchrun:
      return "torchrun";
    case LauncherKind::kOpenMpi:
      return "Open MPI";
    case LauncherKind::kMvapich:
      return "MVAPICH2";
    case LauncherKind::kSlurm:
      return "Slurm";
    case LauncherKind::kPmi:
      return "MPICH or Intel MPI (PMI)";
    case LauncherKind::kPlain:
      return "RANK and WORLD_SIZE";
  }
  return "";
}

LaunchEnvironment detect_launch_environment(
    const Environment& environment, std::string_view rendezvous_option) {
  LaunchEnvironment launch = read_launcher(environment);
  if (launch.kind == LauncherKind::kOwn) return launch;
  if (!rendezvous_option.empty()) {
    Rendezvous chosen = parse_rendezvous(rendezvous_option, "rendezvous");
    if (launch.kind == LauncherKind::kNone) {
      refuse_without_effect(rendezvous_option, "without a launcher");
    }
    if (launch.kind == LauncherKind::kTorchrun) {
      refuse_without_effect(rendezvous_option, "under torchrun");
    }
    launch.rendezvous = std::move(chosen);
  }
  if (launch.world_size == 1) {
    launch.rendezvous = {};
  } else if (launch.rendezvous.kind == Rendezvous::Kind::kNone) {
    throw ConfigError(
        "launcher: " + std::string(name_of(launch.kind)) + " started " +
        std::to_string(launch.world_size) +
        " processes but says nowhere to meet; give --rendezvous HOST:PORT with "
        "a free port on rank 0's host, --rendezvous with the path of a new "
        "file on a shared disk, or set MASTER_ADDR and MASTER_PORT");
  }
  return launch;
}

std::string describe(const LaunchEnvironment& launch) {
  std::string text = "rank " + std::to_string(launch.rank) + " of " +
                     std::to_string(launch.world_size);
  if (launch.is_local_known && launch.local_world_size != launch.world_size) {
    text += " (rank " + std::to_string(launch.local_rank) + " of " +
            std::to_string(launch.local_world_size) + " on this host)";
  }
  if (launch.kind != LauncherKind::kNone) {
    text += ", started by " + std::string(name_of(launch.kind));
  }
  if (launch.restart_count > 0) {
    text += ", restart " + std::to_string(launch.restart_count) + " of " +
            std::to_string(launch.max_restarts);
  }
  if (launch.rendezvous.kind != Rendezvous::Kind::kNone) {
    text += ", meeting at " + to_text(launch.rendezvous);
  }
  return text;
}

}  // namespace longformer
