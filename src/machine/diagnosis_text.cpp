// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "longformer/base/quoting.h"
#include "longformer/config/field.h"
#include "longformer/machine/diagnosis.h"

#include "byte_text.h"

namespace longformer {
namespace {

constexpr std::array<std::string_view, 4> kLinkNames{"-", "host", "peer",
                                                     "NVLink"};

std::string_view name_of_link(GpuLink link) {
  return kLinkNames[static_cast<std::size_t>(link)];
}

std::string cuda_line(const Machine& machine) {
  if (!machine.cuda_reason.empty()) {
    return "CUDA: none, " + machine.cuda_reason + "\n";
  }
  std::string line = "CUDA: " + cuda_version_text(machine.cuda.runtime) +
                     ", NCCL " + machine.cuda.nccl + "; driver " +
                     (machine.driver.empty() ? "unknown" : machine.driver);
  if (machine.cuda.driver > 0) {
    line += " for CUDA up to " + cuda_version_text(machine.cuda.driver);
  }
  return line + "\n";
}

std::string gpu_lines(const Machine& machine) {
  std::string text;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const Gpu& gpu = machine.gpus[i];
    text += fmt::format(
        "  GPU {}: {}, {} ({} free), compute capability {}, {}\n", i, gpu.name,
        byte_text(gpu.total_bytes), byte_text(gpu.free_bytes),
        to_text(gpu.capability), gpu.pci_id);
  }
  if (machine.links.size() < 2) return text;
  text += "  from each GPU (rows) to each:\n";
  for (const auto& row : machine.links) {
    text += "   ";
    for (const GpuLink link : row) {
      text += fmt::format(" {:>6}", name_of_link(link));
    }
    text += "\n";
  }
  return text;
}

std::string rank_lines(const Machine& machine) {
  const RankPlan& ranks = machine.ranks;
  const bool is_one = ranks.count == 1;
  std::string text = fmt::format(
      "Processes: {} {}, {} {} each, started by {}\n", ranks.count,
      ranks.use_gpus ? (is_one ? "on a GPU" : "on a GPU each") : "on the CPU",
      ranks.threads, ranks.threads == 1 ? "thread" : "threads", ranks.launcher);
  if (!machine.exchange) return text;
  constexpr double kMilli = 1e3;
  constexpr double kGiga = 1e9;
  constexpr std::uint64_t kLarge = 1 << 20;  // Below, it is all waiting.
  for (const ExchangeTiming& timing : machine.exchange->timings) {
    text +=
        fmt::format("  {} sums up {} in {:.3f} ms", machine.exchange->backend,
                    byte_text(timing.bytes), timing.seconds * kMilli);
    if (timing.bytes >= kLarge) {
      text += fmt::format(" ({:.2f} GB/s)", static_cast<double>(timing.bytes) /
                                                timing.seconds / kGiga);
    }
    text += "\n";
  }
  return text;
}

std::string system_lines(const Machine& machine) {
  const Resources& have = machine.resources;
  std::string text = fmt::format(
      "System: {} {}, {} open files a process, {} of shared memory\n",
      have.threads, have.threads == 1 ? "core" : "cores", have.open_files,
      byte_text(have.shared_memory_bytes));
  for (const Folder& folder : machine.folders) {
    text += "  " + folder.purpose + " " + folder.path + ": " +
            (folder.problem.empty() ? byte_text(folder.free_bytes) + " free"
                                    : folder.problem) +
            "\n";
  }
  for (const auto& [name, value] : machine.environment) {
    text += "  " + name + "=" + value + "\n";
  }
  return text;
}

std::string finding_lines(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.kind == Finding::Kind::kProblem ? "problem: " : "note: ";
    text += finding.text + "; " + finding.advice + "\n";
  }
  return text + (would_work(findings) ? "train would work here\n"
                                      : "train would not work here\n");
}

Json exchange_json(const ExchangeCheck& exchange) {
  Json json = {{"backend", exchange.backend}, {"sums", Json::array()}};
  for (const ExchangeTiming& timing : exchange.timings) {
    json["sums"].push_back(
        {{"bytes", timing.bytes},
         {"seconds", timing.seconds},
         {"bytes_per_second",
          static_cast<double>(timing.bytes) / timing.seconds}});
  }
  if (!exchange.problem.empty()) json["problem"] = exchange.problem;
  return json;
}

Json cuda_json(const Machine& machine) {
  if (!machine.cuda_reason.empty()) return {{"reason", machine.cuda_reason}};
  return {{"version", cuda_version_text(machine.cuda.runtime)},
          {"nccl", machine.cuda.nccl},
          {"driver", machine.driver},
          {"driver_cuda_version", cuda_version_text(machine.cuda.driver)}};
}

}  // namespace

std::string diagnosis_text(const Machine& machine, const Findings& findings) {
  return printable(machine.program + "\n" + cuda_line(machine) +
                   gpu_lines(machine) + rank_lines(machine) +
                   system_lines(machine) + finding_lines(findings));
}

Json diagnosis_json(const Machine& machine, const Findings& findings) {
  Json json = {{"program", machine.program}, {"cuda", cuda_json(machine)}};
  json["gpus"] = Json::array();
  for (const Gpu& gpu : machine.gpus) {
    json["gpus"].push_back({{"name", gpu.name},
                            {"compute_capability", to_text(gpu.capability)},
                            {"total_bytes", gpu.total_bytes},
                            {"free_bytes", gpu.free_bytes},
                            {"pci_id", gpu.pci_id}});
  }
  json["links"] = Json::array();
  for (const auto& row : machine.links) {
    Json names = Json::array();
    for (const GpuLink link : row) names.push_back(name_of_link(link));
    json["links"].push_back(std::move(names));
  }
  const RankPlan& ranks = machine.ranks;
  json["processes"] = {{"count", ranks.count},
                       {"use_gpus", ranks.use_gpus},
                       {"threads", ranks.threads},
                       {"started_by", ranks.launcher}};
  json["exchange"] =
      machine.exchange ? exchange_json(*machine.exchange) : Json();
  json["system"] = {
      {"cores", machine.resources.threads},
      {"open_files", machine.resources.open_files},
      {"shared_memory_bytes", machine.resources.shared_memory_bytes}};
  json["folders"] = Json::array();
  for (const Folder& folder : machine.folders) {
    json["folders"].push_back({{"purpose", folder.purpose},
                               {"path", folder.path},
                               {"is_writable", folder.problem.empty()},
                               {"free_bytes", folder.free_bytes}});
  }
  json["environment"] = machine.environment;
  json["findings"] = Json::array();
  for (const Finding& finding : findings) {
    const bool is_problem = finding.kind == Finding::Kind::kProblem;
    json["findings"].push_back({{"kind", is_problem ? "problem" : "note"},
                                {"text", finding.text},
                                {"advice", finding.advice}});
  }
  json["train_would_work"] = would_work(findings);
  return json;
}

}  // namespace longformer
