// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "longformer/base/error.h"

#include "launcher_readers.h"
#include "slurm_lists.h"

namespace longformer {
namespace {

/// Within a step, the step's own variables describe it; those of the job may be
/// about more nodes and tasks. The older names are Slurm's own aliases.
std::string_view first_set(const LaunchVariables& variables,
                           std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (variables.has(name)) return name;
  }
  return *(names.end() - 1);
}

std::string_view task_count_name(const LaunchVariables& variables) {
  return first_set(variables,
                   {"SLURM_STEP_NUM_TASKS", "SLURM_NPROCS", "SLURM_NTASKS"});
}

std::string_view node_list_name(const LaunchVariables& variables) {
  return first_set(variables, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST",
                               "SLURM_NODELIST"});
}

std::uint64_t id_number(const LaunchVariables& variables,
                        std::string_view name) {
  const std::string_view text = variables.text(name);
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  throw ConfigError("launcher: " + variables.shown(name) +
                    " is no number of a Slurm job; set MASTER_PORT or give "
                    "--rendezvous HOST:PORT");
}

/// A port that all tasks of a step agree on without talking: by the job's last
/// four digits, as others do, moved for later steps of the same job.
int port_of_step(const LaunchVariables& variables) {
  constexpr std::uint64_t kFirst = 15000;
  constexpr std::uint64_t kCount = 10000;
  constexpr std::uint64_t kStride = 7919;
  const std::string_view job =
      first_set(variables, {"SLURM_JOBID", "SLURM_JOB_ID"});
  const std::uint64_t step = variables.has("SLURM_STEP_ID")
                                 ? id_number(variables, "SLURM_STEP_ID")
                                 : 0;
  const std::uint64_t job_part = id_number(variables, job) % kCount;
  return static_cast<int>(kFirst +
                          (job_part + kStride * (step % kCount)) % kCount);
}

/// How many tasks the step has on this node.
int tasks_on_node(const LaunchVariables& variables, int world_size) {
  const std::string_view list = first_set(
      variables, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  if (variables.has(list)) {
    const int node = variables.number_or("SLURM_NODEID", 0, 0, kMaxProcesses);
    const auto tasks = slurm_tasks_of_node(variables.text(list), node);
    if (tasks && *tasks <= world_size) return *tasks;
    throw ConfigError("launcher: " + variables.shown(list) +
                      " says nothing usable about node " +
                      std::to_string(node) + " of a step of " +
                      std::to_string(world_size) +
                      " tasks; start the program with srun");
  }
  if (variables.has("SLURM_NTASKS_PER_NODE")) {
    return variables.number("SLURM_NTASKS_PER_NODE", 1, world_size);
  }
  const int nodes = variables.number_or(
      first_set(variables, {"SLURM_STEP_NUM_NODES", "SLURM_NNODES",
                            "SLURM_JOB_NUM_NODES"}),
      0, 1, kMaxProcesses);
  if (nodes == 1) return world_size;
  const std::string_view list_of_nodes =
      variables.text(node_list_name(variables));
  if (nodes == 0 && !list_of_nodes.empty() &&
      list_of_nodes.find_first_of("[,") == std::string_view::npos) {
    return world_size;  // Names one node only.
  }
  throw ConfigError(
      "launcher: SLURM_TASKS_PER_NODE is not set although " +
      variables.shown(kSlurmNames.rank) +
      " is; start the program with srun, and give it --ntasks-per-node");
}

Rendezvous rendezvous_of_step(const LaunchVariables& variables,
                              bool is_one_host) {
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kAddress;
  if (variables.has("MASTER_ADDR")) {
    rendezvous.host = variables.text("MASTER_ADDR");
  } else if (is_one_host) {
    rendezvous.host = "127.0.0.1";
  } else {
    const std::string_view name = node_list_name(variables);
    const auto host = first_slurm_host(variables.text(name));
    if (!host) {
      throw ConfigError("launcher: " + variables.shown(name) +
                        " names no first node; set MASTER_ADDR or give "
                        "--rendezvous HOST:PORT");
    }
    rendezvous.host = *host;
  }
  rendezvous.port = variables.has("MASTER_PORT")
                        ? variables.number("MASTER_PORT", 1, kMaxPort)
                        : port_of_step(variables);
  return rendezvous;
}

}  // namespace

bool is_slurm_step(const Environment& environment) {
  const LaunchVariables variables(environment, "Slurm");
  if (!variables.has(kSlurmNames.rank)) return false;
  const std::string_view job = variables.text("SLURM_JOB_NAME");
  if (job == "bash" || job == "interactive") return false;
  const std::string_view count = task_count_name(variables);
  if (variables.has(count)) return variables.text(count) != "1";
  // A batch script has a task number without having asked for tasks. In a step
  // the number of tasks is missing, which reading it will say.
  return variables.text(kSlurmNames.rank) != "0" ||
         variables.has("SLURM_STEP_ID");
}

LaunchEnvironment read_slurm(const Environment& environment) {
  const LaunchVariables variables(environment, "Slurm");
  const std::string_view count = task_count_name(variables);
  variables.require({kSlurmNames.rank, count, kSlurmNames.local_rank});
  LaunchEnvironment launch;
  launch.kind = LauncherKind::kSlurm;
  launch.world_size = variables.number(count, 1, kMaxProcesses);
  launch.rank = variables.number(kSlurmNames.rank, 0, launch.world_size - 1);
  launch.local_world_size = tasks_on_node(variables, launch.world_size);
  launch.local_rank =
      variables.number(kSlurmNames.local_rank, 0, launch.local_world_size - 1);
  check_plain_agrees(environment, launch, kSlurmNames);
  launch.rendezvous = rendezvous_of_step(
      variables, launch.local_world_size == launch.world_size);
  return launch;
}

}  // namespace longformer
