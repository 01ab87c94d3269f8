// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace longformer {

/// What a GPU can do, as its maker counts: 7.0 is a V100, 8.0 an A100.
struct ComputeCapability {
  int major = 0;
  int minor = 0;

  auto operator<=>(const ComputeCapability&) const = default;
};

/// "7.0"
std::string to_text(ComputeCapability capability);

struct Gpu {
  std::string name;  ///< "Tesla V100-SXM2-16GB"
  ComputeCapability capability;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< Of all processes, when it was asked.
  std::string pci_id;            ///< "0000:00:1b.0"
};

/// "GPU 0 (Tesla V100-SXM2-16GB, compute capability 7.0)"
std::string describe(const Gpu& gpu, std::size_t index);

/// Versions as CUDA counts them: 12080 is CUDA 12.8.
struct CudaVersions {
  int driver = 0;    ///< The newest CUDA that the driver serves; 0: no driver.
  int runtime = 0;   ///< The CUDA of this build's LibTorch.
  std::string nccl;  ///< "2.27.5"
  /// What LibTorch's kernels were compiled for, as its build says it:
  /// "arch=compute_70,code=sm_70;...". "": it does not say, without a driver.
  std::string architectures;
};

/// "12.8"
std::string cuda_version_text(int version);

}  // namespace longformer
