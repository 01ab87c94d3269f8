// SPDX-License-Identifier: MIT
//
// What liblongformer_cuda.so gives the program; see CudaRuntime.
#include <array>
#include <string>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include "longformer/base/error.h"
#include "longformer/machine/cuda_runtime.h"

#include "nccl_backend.h"

namespace longformer {
namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

/// Throws what the driver says went wrong with a GPU.
void check(cudaError_t error, int index, const char* action) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // Not for whoever asks next.
  throw SystemError("GPU " + std::to_string(index) + ": cannot " + action +
                    ": " + cudaGetErrorString(error) +
                    "; nvidia-smi may show why");
}

/// The line "NVCC architecture flags: ..." of LibTorch's own description, which
/// it gives only where there is a driver.
std::string architecture_flags() {
  std::string text;
  try {
    text = at::detail::getCUDAHooks().showConfig();
  } catch (const c10::Error&) {
    return "";
  }
  const std::size_t begin = text.find("NVCC architecture flags:");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// One item of the allocator's statistics: all pools together.
template <class Statistics>
auto total(const Statistics& statistics) {
  return statistics[static_cast<std::size_t>(
      c10::CachingAllocator::StatType::AGGREGATE)];
}

class GpuRuntime final : public CudaRuntime {
 public:
  CudaVersions versions() override {
    CudaVersions versions;
    cudaDriverGetVersion(&versions.driver);
    cudaRuntimeGetVersion(&versions.runtime);
    cudaGetLastError();
    versions.nccl = nccl_version();
    versions.architectures = architecture_flags();
    return versions;
  }

  GpuCount count_gpus() override {
    GpuCount gpus;
    const cudaError_t error = cudaGetDeviceCount(&gpus.count);
    if (error == cudaSuccess && gpus.count > 0) return gpus;
    cudaGetLastError();
    return {0, error == cudaSuccess ? "CUDA shows no GPU"
                                    : std::string("CUDA does not start: ") +
                                          cudaGetErrorString(error)};
  }

  Gpu gpu(int index) override {
    require(index);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), index,
          "read its properties");
    Gpu result;
    result.name = properties.name;
    result.capability = {properties.major, properties.minor};
    std::array<char, 32> pci_id{};
    check(cudaDeviceGetPCIBusId(pci_id.data(), static_cast<int>(pci_id.size()),
                                index),
          index, "read its PCI address");
    result.pci_id = pci_id.data();
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), index,
          "measure its memory");
    result.free_bytes = free_bytes;
    result.total_bytes = total_bytes;
    return result;
  }

  bool can_access_peer(int from, int to) override {
    require(from);
    require(to);
    int can = 0;
    check(cudaDeviceCanAccessPeer(&can, from, to), from, "ask for its peers");
    return can != 0;
  }

  GpuMemory memory(int index) override {
    const auto device = start_allocator(index);
    const auto statistics = Allocator::getDeviceStats(device);
    GpuMemory memory;
    memory.allocated = total(statistics.allocated_bytes).current;
    memory.peak_allocated = total(statistics.allocated_bytes).peak;
    memory.reserved = total(statistics.reserved_bytes).current;
    memory.peak_reserved = total(statistics.reserved_bytes).peak;
    memory.failures = statistics.num_ooms;
    return memory;
  }

  void reset_peak_memory(int index) override {
    Allocator::resetPeakStats(start_allocator(index));
  }

  void synchronize(int index) override {
    require(index);
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
    check(cudaDeviceSynchronize(), index, "finish its work");
  }

  void add_nccl(c10d::ProcessGroup& group, c10d::Store& store, int index,
                std::chrono::milliseconds timeout) override {
    require(index);
    add_nccl_backend(group, store, index, timeout);
  }

 private:
  void require(int index) {
    const GpuCount gpus = count_gpus();
    if (gpus.count == 0) throw ConfigError("no GPU: " + gpus.reason);
    if (index >= 0 && index < gpus.count) return;
    throw ConfigError("no GPU " + std::to_string(index) + ": there are " +
                      std::to_string(gpus.count) + ", counted from 0");
  }

  c10::DeviceIndex start_allocator(int index) {
    require(index);
    at::globalContext().lazyInitDevice(at::kCUDA);
    return static_cast<c10::DeviceIndex>(index);
  }
};

}  // namespace
}  // namespace longformer

extern "C" longformer::CudaRuntime* longformer_cuda_runtime(int interface) {
  static longformer::GpuRuntime runtime;
  return interface == longformer::CudaRuntime::kInterface ? &runtime : nullptr;
}
