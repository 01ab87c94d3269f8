// SPDX-License-Identifier: MIT
//
// Machines that nobody needs to have here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/machine/diagnosis.h"

namespace longformer::test {

inline Gpu make_gpu(const std::string& name, ComputeCapability capability,
                    std::uint64_t gigabytes) {
  const std::uint64_t bytes = gigabytes << 30;
  return {name, capability, bytes, bytes, "0000:00:1b.0"};
}

inline Gpu v100() { return make_gpu("Tesla V100-SXM2-16GB", {7, 0}, 16); }
inline Gpu t4() { return make_gpu("Tesla T4", {7, 5}, 15); }
inline Gpu a100() { return make_gpu("NVIDIA A100-SXM4-40GB", {8, 0}, 40); }
inline Gpu h100() { return make_gpu("NVIDIA H100 80GB HBM3", {9, 0}, 80); }
inline Gpu p40() { return make_gpu("Tesla P40", {6, 1}, 24); }

/// What LibTorch 2.10 for CUDA 12.8 says of itself.
inline constexpr char kCuda12Architectures[] =
    "NVCC architecture flags: -gencode;arch=compute_70,code=sm_70;-gencode;"
    "arch=compute_75,code=sm_75;-gencode;arch=compute_80,code=sm_80;-gencode;"
    "arch=compute_86,code=sm_86;-gencode;arch=compute_90,code=sm_90;-gencode;"
    "arch=compute_100,code=sm_100;-gencode;arch=compute_120,code=sm_120";
/// One for CUDA 13, which has left the V100 behind.
inline constexpr char kCuda13Architectures[] =
    "NVCC architecture flags: -gencode;arch=compute_75,code=sm_75;-gencode;"
    "arch=compute_80,code=sm_80;-gencode;arch=compute_90,code=sm_90;-gencode;"
    "arch=compute_120,code=compute_120";

inline Resources plenty() {
  return {1 << 16, 1 << 16, std::uint64_t{8} << 30, 8};
}

/// Two or more of these GPUs, joined by NVLink, on a good day.
inline Machine good_machine(const std::vector<Gpu>& gpus) {
  Machine machine;
  machine.program = "longformer";
  machine.cuda = {12080, 12080, "2.27.5", kCuda12Architectures};
  machine.driver = "570.86.10";
  machine.gpus = gpus;
  machine.links.assign(gpus.size(),
                       std::vector<GpuLink>(gpus.size(), GpuLink::kNvLink));
  machine.ranks = {static_cast<int>(gpus.size()), true, 4, "longformer"};
  machine.exchange =
      ExchangeCheck{"NCCL", {{4, 3e-5}, {std::uint64_t{1} << 26, 1e-3}}, ""};
  machine.resources = plenty();
  machine.folders = {{"output_dir", "run", "", std::uint64_t{100} << 30}};
  return machine;
}

/// One without a driver.
inline Machine cpu_machine() {
  Machine machine = good_machine({});
  machine.cuda_reason = "this machine has no NVIDIA driver";
  machine.driver.clear();
  machine.cuda = {};
  machine.exchange.reset();
  machine.ranks = {1, false, 8, "longformer"};
  return machine;
}

}  // namespace longformer::test
