// SPDX-License-Identifier: MIT
#include "longformer/machine/gpu_checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

namespace longformer {
namespace {

constexpr ComputeCapability kBf16{8, 0};
constexpr ComputeCapability kTensorCores{7, 0};
constexpr ComputeCapability kFp16{5, 3};

using Kind = Finding::Kind;

bool all_have(const std::vector<Gpu>& gpus, ComputeCapability least) {
  return std::ranges::all_of(
      gpus, [&](const Gpu& gpu) { return gpu.capability >= least; });
}

Finding without_bf16(const Gpu& gpu, std::size_t index) {
  const bool has_fp16 = gpu.capability >= kTensorCores;
  return {
      Kind::kProblem,
      "precision: " + describe(gpu, index) +
          " has no bf16 arithmetic, which begins with 8.0",
      has_fp16 ? "use fp16 (with its loss scale) or auto" : "use fp32 or auto"};
}

/// One code of a build: "arch=compute_80,code=sm_80".
struct Architecture {
  ComputeCapability capability;
  bool is_translatable = false;  ///< PTX, which newer GPUs run as well.
  bool is_exact = false;         ///< "sm_90a": only this very GPU.
};

std::optional<Architecture> architecture_of(std::string_view code) {
  constexpr int kTen = 10;
  Architecture found;
  found.is_translatable = code.starts_with("compute_");
  if (!found.is_translatable && !code.starts_with("sm_")) return std::nullopt;
  code.remove_prefix(code.find('_') + 1);
  int number = 0;
  const char* end = code.data() + code.size();
  const auto [stop, error] = std::from_chars(code.data(), end, number);
  if (error != std::errc() || number < kTen) return std::nullopt;
  found.is_exact = stop != end && *stop == 'a';
  found.capability = {number / kTen, number % kTen};
  return found;
}

std::vector<Architecture> parse_architectures(std::string_view text) {
  constexpr std::string_view kCode = "code=";
  std::vector<Architecture> found;
  for (std::size_t at = text.find(kCode); at != text.npos;
       at = text.find(kCode, at + 1)) {
    std::string_view code = text.substr(at + kCode.size());
    code = code.substr(0, code.find_first_of("; ,]"));
    if (const auto one = architecture_of(code)) found.push_back(*one);
  }
  return found;
}

bool serves(const Architecture& code, ComputeCapability gpu) {
  if (code.is_exact) return code.capability == gpu;
  if (code.is_translatable) return code.capability <= gpu;
  return code.capability.major == gpu.major &&
         code.capability.minor <= gpu.minor;
}

/// The oldest driver that serves a major version of CUDA, also with LibTorch
/// built for a newer minor one.
std::string_view oldest_driver(int cuda_major) {
  constexpr std::array<std::pair<int, std::string_view>, 3> kDrivers{
      {{11, "450.80.02"}, {12, "525.60.13"}, {13, "580.65.06"}}};
  for (const auto& [major, driver] : kDrivers) {
    if (major == cuda_major) return driver;
  }
  return "";
}

}  // namespace

Precision resolve_precision(Precision wanted, const std::vector<Gpu>& gpus) {
  if (wanted != Precision::kAuto) return wanted;
  if (gpus.empty()) return Precision::kFp32;
  if (all_have(gpus, kBf16)) return Precision::kBf16;
  return all_have(gpus, kTensorCores) ? Precision::kFp16 : Precision::kFp32;
}

Findings check_precision(Precision wanted, const std::vector<Gpu>& gpus) {
  Findings findings;
  const std::string name(name_of(wanted));
  if (gpus.empty() &&
      (wanted == Precision::kFp16 || wanted == Precision::kBf16)) {
    findings.push_back({Kind::kProblem,
                        "precision: this version computes in fp32 on the CPU, "
                        "got " +
                            name,
                        "use fp32 or auto"});
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const ComputeCapability capability = gpus[i].capability;
    if (wanted == Precision::kBf16 && capability < kBf16) {
      findings.push_back(without_bf16(gpus[i], i));
    } else if (wanted == Precision::kFp16 && capability < kFp16) {
      findings.push_back({Kind::kProblem,
                          "precision: " + describe(gpus[i], i) +
                              " has no fp16 arithmetic, which begins with 5.3",
                          "use fp32 or auto"});
    } else if (wanted == Precision::kFp16 && capability < kTensorCores) {
      findings.push_back({Kind::kNote,
                          "precision: " + describe(gpus[i], i) +
                              " has no tensor cores, which begin with 7.0; "
                              "fp16 saves memory there but no time",
                          "use fp32 if it fits in memory"});
    }
  }
  return findings;
}

Findings check_driver(const CudaVersions& versions,
                      const std::string& driver_name) {
  constexpr int kMajor = 1000;
  const std::string build =
      "this build is for CUDA " + cuda_version_text(versions.runtime);
  const std::string driver =
      driver_name.empty() ? "the driver" : "driver " + driver_name;
  const std::string_view oldest = oldest_driver(versions.runtime / kMajor);
  const std::string advice =
      oldest.empty() ? "install a newer driver"
                     : "install driver " + std::string(oldest) + " or newer";
  if (versions.driver == 0) {
    return {{Kind::kProblem,
             "driver: " + driver + " does not answer, and " + build, advice}};
  }
  const std::string served =
      driver + " serves CUDA up to " + cuda_version_text(versions.driver);
  if (versions.driver / kMajor < versions.runtime / kMajor) {
    return {{Kind::kProblem, "driver: " + served + ", but " + build,
             advice + ", or use a LibTorch with CUDA " +
                 std::to_string(versions.driver / kMajor)}};
  }
  if (versions.driver < versions.runtime) {
    return {{Kind::kNote,
             "driver: " + served + ", and " + build +
                 ", which it runs within the same major version",
             "a newer driver is needed only for GPUs newer than it"}};
  }
  return {};
}

Findings check_architectures(const CudaVersions& versions,
                             const std::vector<Gpu>& gpus) {
  const auto codes = parse_architectures(versions.architectures);
  if (codes.empty()) return {};
  std::set<ComputeCapability> known;
  for (const Architecture& code : codes) known.insert(code.capability);
  std::string list;
  for (const ComputeCapability capability : known) {
    list += (list.empty() ? "" : ", ") + to_text(capability);
  }
  Findings findings;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (std::ranges::any_of(codes, [&](const Architecture& code) {
          return serves(code, gpus[i].capability);
        })) {
      continue;
    }
    const bool is_old = gpus[i].capability < *known.begin();
    findings.push_back(
        {Kind::kProblem,
         "devices: " + describe(gpus[i], i) +
             " is not among what this LibTorch was compiled for (" + list + ")",
         is_old ? "use a LibTorch for an older CUDA, or leave the GPU out with "
                  "--devices"
                : "use a newer LibTorch, or leave the GPU out with --devices"});
  }
  return findings;
}

Findings check_gpus(const std::vector<Gpu>& gpus) {
  Findings findings;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].free_bytes >= gpus[i].total_bytes / 2) continue;
    findings.push_back({Kind::kNote,
                        "devices: more than half of the memory of " +
                            describe(gpus[i], i) + " is taken already",
                        "see with nvidia-smi by which process"});
  }
  const auto differs = [&](const Gpu& gpu) {
    return gpu.name != gpus.front().name;
  };
  if (std::ranges::any_of(gpus, differs)) {
    findings.push_back({Kind::kNote,
                        "devices: the GPUs are of different kinds; the slowest "
                        "sets the pace, the smallest the micro-batch",
                        "choose alike ones with --devices"});
  }
  return findings;
}

}  // namespace longformer
