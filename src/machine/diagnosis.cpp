// SPDX-License-Identifier: MIT
#include "longformer/machine/diagnosis.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "longformer/machine/gpu_checks.h"

#include "byte_text.h"

namespace longformer {
namespace {

using Kind = Finding::Kind;

void append(Findings& all, Findings more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Only where there could be GPUs: for others the CPU is all that is meant.
Findings check_cuda(const Machine& machine) {
  if (machine.cuda_reason.empty() || machine.driver.empty()) return {};
  return {{Kind::kNote, "CUDA: " + machine.cuda_reason,
           "until then training uses the CPU"}};
}

bool all_are_peers(const Machine& machine) {
  return !machine.links.empty() &&
         std::ranges::all_of(machine.links, [](const auto& row) {
           return std::ranges::find(row, GpuLink::kHost) == row.end();
         });
}

Findings check_links(const Machine& machine) {
  if (machine.links.size() < 2 || all_are_peers(machine)) return {};
  return {{Kind::kNote,
           "topology: some GPUs reach each other through the host only",
           "expect slower exchanges; in a virtual machine or container see "
           "whether peer access is switched off"}};
}

/// A process talks to every other one over a few sockets, and has its
/// libraries, data and logs open.
Findings check_open_files(const Machine& machine) {
  constexpr std::uint64_t kOwn = 256;
  constexpr std::uint64_t kForEachRank = 8;
  const std::uint64_t needed =
      kOwn + kForEachRank * static_cast<std::uint64_t>(machine.ranks.count);
  const Resources& have = machine.resources;
  if (have.open_files >= needed) return {};
  const std::string wanted = std::to_string(needed);
  return {{Kind::kProblem,
           "open files: a process may have " + std::to_string(have.open_files) +
               " open, but " + wanted + " may be needed",
           have.open_files_possible >= needed
               ? "call ulimit -n " + wanted
               : "raise the hard limit, which is " +
                     std::to_string(have.open_files_possible) +
                     " (limits.conf, or --ulimit nofile=" + wanted +
                     " of docker)"}};
}

/// NCCL's ranks of one host meet in /dev/shm, and without peer access all their
/// data goes through it.
Findings check_shared_memory(const Machine& machine) {
  constexpr std::uint64_t kForEachRank = std::uint64_t{32} << 20;
  if (!machine.ranks.use_gpus || machine.ranks.count < 2) return {};
  const std::uint64_t needed =
      kForEachRank * static_cast<std::uint64_t>(machine.ranks.count);
  const std::uint64_t have = machine.resources.shared_memory_bytes;
  if (have >= needed) return {};
  return {{all_are_peers(machine) ? Kind::kNote : Kind::kProblem,
           "shared memory: " + byte_text(have) + " are free in /dev/shm, but " +
               "NCCL may need " + byte_text(needed),
           "start the container with --shm-size=1g or --ipc=host"}};
}

Findings check_folders(const std::vector<Folder>& folders) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  constexpr std::uint64_t kLittle = std::uint64_t{1} << 30;
  Findings findings;
  for (const Folder& folder : folders) {
    const std::string where = folder.purpose + ": " + folder.path;
    if (!folder.problem.empty()) {
      findings.push_back({Kind::kProblem,
                          where + " cannot be written (" + folder.problem + ")",
                          "choose another folder or change its permissions"});
    } else if (folder.free_bytes < kLittle) {
      const bool is_full = folder.free_bytes < kLeast;
      findings.push_back(
          {is_full ? Kind::kProblem : Kind::kNote,
           where + " has only " + byte_text(folder.free_bytes) + " free",
           "make room or choose another folder"});
    }
  }
  return findings;
}

Findings check_exchange(const Machine& machine) {
  constexpr double kSlowBytesPerS = 1e8;
  if (!machine.exchange) return {};
  const ExchangeCheck& exchange = *machine.exchange;
  if (!exchange.problem.empty()) {
    return {{Kind::kProblem, "exchange: " + exchange.problem,
             machine.ranks.use_gpus
                 ? "see the messages above; NCCL_DEBUG=INFO makes NCCL say more"
                 : "see the messages above"}};
  }
  if (exchange.timings.empty()) return {};
  const ExchangeTiming& largest = exchange.timings.back();
  if (static_cast<double>(largest.bytes) >= kSlowBytesPerS * largest.seconds) {
    return {};
  }
  return {{Kind::kNote,
           "exchange: " + byte_text(largest.bytes) +
               " between the ranks take more than half a second, which every "
               "step pays",
           "let nothing else compute on this machine; with several hosts see "
           "which network interface is used"}};
}

Findings check_variables(const Environment& environment) {
  struct Known {
    std::string_view name, value, effect;
  };
  constexpr std::array<Known, 4> kKnown{{
      {"CUDA_LAUNCH_BLOCKING", "1", "makes the host wait for every kernel"},
      {"NCCL_P2P_DISABLE", "1", "sends data between GPUs through the host"},
      {"NCCL_SHM_DISABLE", "1", "sends data between ranks over sockets"},
      {"CUDA_VISIBLE_DEVICES", "", "hides all GPUs"},
  }};
  Findings findings;
  for (const Known& known : kKnown) {
    const auto set = environment.find(known.name);
    if (set == environment.end() || set->second != known.value) continue;
    const std::string name(known.name);
    findings.push_back({Kind::kNote,
                        "environment: " + name + "=" + set->second + " " +
                            std::string(known.effect),
                        "unset it unless that is meant"});
  }
  return findings;
}

}  // namespace

Environment relevant_variables(const Environment& environment) {
  constexpr std::array<std::string_view, 14> kPrefixes{
      "CUDA_", "NVIDIA_VISIBLE", "NCCL_",        "GLOO_",         "OMP_",
      "GOMP_", "MKL_NUM",        "TORCH_",       "TORCHELASTIC_", "OMPI_COMM_",
      "PMI_",  "SLURM_NTASKS",   "SLURM_PROCID", "LONGFORMER_"};
  constexpr std::array<std::string_view, 11> kNames{"RANK",
                                                    "WORLD_SIZE",
                                                    "LOCAL_RANK",
                                                    "LOCAL_WORLD_SIZE",
                                                    "MASTER_ADDR",
                                                    "MASTER_PORT",
                                                    "TMPDIR",
                                                    "LIBTORCH_ROOT",
                                                    "PYTORCH_CUDA_ALLOC_CONF",
                                                    "LD_LIBRARY_PATH",
                                                    "SAGEMAKER_BASE_DIR"};
  Environment found;
  for (const auto& [name, value] : environment) {
    const std::string_view text = name;
    const bool is_relevant =
        std::ranges::find(kNames, text) != kNames.end() ||
        std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
          return text.starts_with(prefix);
        });
    if (is_relevant) found.emplace(name, value);
  }
  return found;
}

Findings diagnose(const Machine& machine, Precision precision) {
  Findings all = machine.found;
  append(all, check_cuda(machine));
  if (machine.cuda_reason.empty()) {
    append(all, check_driver(machine.cuda, machine.driver));
  }
  append(all, check_architectures(machine.cuda, machine.gpus));
  append(all, check_precision(precision, machine.ranks.use_gpus
                                             ? machine.gpus
                                             : std::vector<Gpu>{}));
  append(all, check_gpus(machine.gpus));
  append(all, check_links(machine));
  append(all, check_exchange(machine));
  append(all, check_open_files(machine));
  append(all, check_shared_memory(machine));
  append(all, check_folders(machine.folders));
  append(all, check_variables(machine.environment));
  std::ranges::stable_partition(all, [](const Finding& finding) {
    return finding.kind == Kind::kProblem;
  });
  return all;
}

bool would_work(const Findings& findings) {
  return std::ranges::none_of(findings, [](const Finding& finding) {
    return finding.kind == Kind::kProblem;
  });
}

}  // namespace longformer
