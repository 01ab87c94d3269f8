// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/precision.h"
#include "longformer/launch/environment.h"
#include "longformer/machine/exchange_timing.h"
#include "longformer/machine/finding.h"
#include "longformer/machine/gpu.h"
#include "longformer/machine/resources.h"

namespace longformer {

/// How data goes from one GPU to another of the same host.
enum class GpuLink { kSame, kHost, kPeer, kNvLink };

/// The processes that a training here would have.
struct RankPlan {
  int count = 1;
  bool use_gpus = false;
  int threads = 1;       ///< Of each.
  std::string launcher;  ///< Who starts them: "longformer", "torchrun".
};

struct ExchangeCheck {
  std::string backend;  ///< "Gloo", "NCCL"
  std::vector<ExchangeTiming> timings;
  std::string problem;  ///< Why it failed, or "".
};

/// Everything that `longformer doctor` measures; the judgement below sees
/// nothing else, so that it can be tested with machines that nobody has here.
struct Machine {
  std::string program;      ///< "longformer 0.1.0, LibTorch 2.10.0"
  std::string cuda_reason;  ///< Why there is no CUDA, or "".
  CudaVersions cuda;        ///< Only without cuda_reason.
  std::string driver;       ///< Its own version, "" if not known.
  std::vector<Gpu> gpus;
  std::vector<std::vector<GpuLink>> links;  ///< [from][to]
  RankPlan ranks;
  std::optional<ExchangeCheck> exchange;  ///< Only between several ranks.
  Resources resources;
  std::vector<Folder> folders;
  Environment environment;  ///< What of it matters, see relevant_variables().
  Findings found;           ///< What went wrong while measuring.
};

/// The variables that change how a training runs.
Environment relevant_variables(const Environment& environment);

/// Everything that is noteworthy, problems first.
Findings diagnose(const Machine& machine, Precision precision);

/// Whether `train` would work: no finding is a problem.
bool would_work(const Findings& findings);

/// For people; ends with one sentence that says whether `train` would work.
std::string diagnosis_text(const Machine& machine, const Findings& findings);
/// The same for programs.
Json diagnosis_json(const Machine& machine, const Findings& findings);

}  // namespace longformer
