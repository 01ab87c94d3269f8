// SPDX-License-Identifier: MIT
#include "launcher_readers.h"

#include "longformer/base/error.h"

namespace longformer {
namespace {

[[noreturn]] void refuse_pair(const LaunchVariables& variables,
                              std::string_view one, std::string_view other,
                              const std::string& rule) {
  throw ConfigError("launcher: " + variables.shown(one) + " contradicts " +
                    variables.shown(other) + ": " + rule +
                    "; start the job again with numbers that fit, or unset "
                    "them");
}

void read_address(const LaunchVariables& variables, Rendezvous::Kind kind,
                  Rendezvous& rendezvous) {
  rendezvous.kind = kind;
  rendezvous.host = variables.text("MASTER_ADDR");
  rendezvous.port = variables.number("MASTER_PORT", 1, kMaxPort);
}

bool agent_listens(const LaunchVariables& variables) {
  constexpr std::string_view kName = "TORCHELASTIC_USE_AGENT_STORE";
  const std::string_view value = variables.text(kName);
  if (value == "True" || value == "true" || value == "1") return true;
  if (value.empty() || value == "False" || value == "false" || value == "0") {
    return false;
  }
  throw ConfigError("launcher: " + variables.shown(kName) +
                    " is neither True nor False; torchrun should set it");
}

}  // namespace

void read_ranks(const LaunchVariables& variables, const RankNames& names,
                LaunchEnvironment& launch) {
  variables.require(
      {names.rank, names.world_size, names.local_rank, names.local_world_size});
  launch.world_size = variables.number(names.world_size, 1, kMaxProcesses);
  launch.rank = variables.number(names.rank, 0, kMaxProcesses);
  if (launch.rank >= launch.world_size) {
    refuse_pair(variables, names.rank, names.world_size,
                "ranks are counted from 0");
  }
  launch.local_world_size =
      variables.number(names.local_world_size, 1, kMaxProcesses);
  if (launch.local_world_size > launch.world_size) {
    refuse_pair(variables, names.local_world_size, names.world_size,
                "a host has at most all processes");
  }
  launch.local_rank = variables.number(names.local_rank, 0, kMaxProcesses);
  if (launch.local_rank >= launch.local_world_size) {
    refuse_pair(variables, names.local_rank, names.local_world_size,
                "ranks are counted from 0");
  }
  if (launch.local_world_size == launch.world_size &&
      launch.local_rank != launch.rank) {
    refuse_pair(variables, names.local_rank, names.rank,
                "all processes are on one host, where the two are the same");
  }
}

LaunchEnvironment read_own(const Environment& environment) {
  LaunchEnvironment launch;
  launch.kind = LauncherKind::kOwn;
  const LaunchVariables variables(environment, "longformer's own parent");
  read_ranks(variables, kOwnNames, launch);
  if (launch.world_size > 1) {
    variables.require({kOwnRendezvous});
    launch.rendezvous =
        parse_rendezvous(variables.text(kOwnRendezvous), kOwnRendezvous);
    launch.rendezvous.key_prefix = variables.text(kOwnKeyPrefix);
  }
  constexpr int kMaxDescriptor = 1 << 20;
  launch.rendezvous.listen_descriptor =
      variables.number_or(kOwnListen, -1, 0, kMaxDescriptor);
  launch.report_descriptor =
      variables.number_or(kOwnReport, -1, 0, kMaxDescriptor);
  launch.terminal_columns = variables.number_or(kOwnColumns, 0, 0, 100000);
  return launch;
}

LaunchEnvironment read_torchrun(const Environment& environment) {
  LaunchEnvironment launch;
  launch.kind = LauncherKind::kTorchrun;
  const LaunchVariables variables(environment, "torchrun");
  variables.require({"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                     "MASTER_ADDR", "MASTER_PORT"});
  read_ranks(variables, kPlainNames, launch);
  read_address(variables,
               agent_listens(variables) ? Rendezvous::Kind::kAgentStore
                                        : Rendezvous::Kind::kAddress,
               launch.rendezvous);
  launch.restart_count =
      variables.number_or("TORCHELASTIC_RESTART_COUNT", 0, 0, kMaxProcesses);
  launch.max_restarts =
      variables.number_or("TORCHELASTIC_MAX_RESTARTS", 0, 0, kMaxProcesses);
  launch.run_id = variables.text("TORCHELASTIC_RUN_ID");
  launch.error_file = variables.text("TORCHELASTIC_ERROR_FILE");
  // The agent's store outlives an attempt: without this, keys of the last one
  // would look like this one's.
  launch.rendezvous.key_prefix =
      "/worker/attempt_" + std::to_string(launch.restart_count);
  return launch;
}

LaunchEnvironment read_plain(const Environment& environment) {
  LaunchEnvironment launch;
  launch.kind = LauncherKind::kPlain;
  const LaunchVariables variables(environment, name_of(launch.kind));
  variables.require({"RANK", "WORLD_SIZE"});
  if (variables.has_any({"MASTER_ADDR", "MASTER_PORT"})) {
    variables.require({"MASTER_ADDR", "MASTER_PORT"});
    read_address(variables, Rendezvous::Kind::kAddress, launch.rendezvous);
  }
  if (variables.has_any({"LOCAL_RANK", "LOCAL_WORLD_SIZE"})) {
    read_ranks(variables, kPlainNames, launch);
    return launch;
  }
  launch.world_size = variables.number("WORLD_SIZE", 1, kMaxProcesses);
  launch.rank = variables.number("RANK", 0, kMaxProcesses);
  if (launch.rank >= launch.world_size) {
    refuse_pair(variables, "RANK", "WORLD_SIZE", "ranks are counted from 0");
  }
  launch.is_local_known = launch.world_size == 1;
  if (is_loopback(launch.rendezvous.host)) {
    launch.local_rank = launch.rank;
    launch.local_world_size = launch.world_size;
  }
  return launch;
}

void check_plain_agrees(const Environment& environment,
                        const LaunchEnvironment& launch,
                        const RankNames& names) {
  const LaunchVariables variables(environment, name_of(launch.kind));
  const auto check = [&](std::string_view plain, std::string_view own,
                         int value) {
    if (!variables.has(plain) ||
        variables.number(plain, 0, kMaxProcesses) == value) {
      return;
    }
    throw ConfigError("launcher: " + variables.shown(plain) + " contradicts " +
                      std::string(own) + " of " +
                      std::string(name_of(launch.kind)) + ", which gives " +
                      std::to_string(value) + "; unset one of them");
  };
  check(kPlainNames.rank, names.rank, launch.rank);
  check(kPlainNames.world_size, names.world_size, launch.world_size);
  check(kPlainNames.local_rank, names.local_rank, launch.local_rank);
  check(kPlainNames.local_world_size, names.local_world_size,
        launch.local_world_size);
}

}  // namespace longformer
