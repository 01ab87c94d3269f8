// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "longformer/machine/gpu.h"

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace longformer {

/// How many GPUs CUDA gives this process; if none, why.
struct GpuCount {
  int count = 0;
  std::string reason;
};

/// LibTorch's memory on one GPU, in bytes.
struct GpuMemory {
  std::int64_t allocated = 0;       ///< Of tensors.
  std::int64_t peak_allocated = 0;  ///< Since the start or reset_peak.
  std::int64_t reserved = 0;  ///< Taken from the driver, tensors included.
  std::int64_t peak_reserved = 0;
  std::int64_t failures = 0;  ///< How often there was not enough.
};

/// Everything that the program asks of CUDA beyond what tensors do. This is the
/// one door to liblongformer_cuda.so, so that nothing else of the program is
/// linked against CUDA; see load_cuda().
///
/// GPUs are counted from 0 among those that CUDA_VISIBLE_DEVICES leaves. The
/// first call but versions() initialises CUDA, after which the process must not
/// fork without exec.
///
/// Members that take a GPU throw ConfigError if it is not there, and
/// SystemError with the driver's words if that fails.
class CudaRuntime {
 public:
  /// To be raised with every change of this class: library and program have to
  /// be of one build.
  static constexpr int kInterface = 1;

  virtual CudaVersions versions() = 0;
  /// Does not throw.
  virtual GpuCount count_gpus() = 0;
  virtual Gpu gpu(int index) = 0;
  /// Whether GPU `from` reads the memory of `to` without the host's help.
  virtual bool can_access_peer(int from, int to) = 0;

  virtual GpuMemory memory(int index) = 0;
  virtual void reset_peak_memory(int index) = 0;
  /// Waits until everything that was started on the GPU is done.
  virtual void synchronize(int index) = 0;

  /// From now on `group` exchanges tensors on GPUs over NCCL; what it does with
  /// tensors on the CPU stays. Collective, with one rank a GPU.
  ///
  /// store: where the ranks meet; stays in use.
  /// index: this rank's GPU.
  /// timeout: after which an exchange has failed.
  virtual void add_nccl(c10d::ProcessGroup& group, c10d::Store& store,
                        int index, std::chrono::milliseconds timeout) = 0;

 protected:
  ~CudaRuntime() = default;
};

}  // namespace longformer
