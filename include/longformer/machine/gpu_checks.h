// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/config/precision.h"
#include "longformer/machine/finding.h"
#include "longformer/machine/gpu.h"

namespace longformer {

/// What `auto` means: on GPUs bf16 if all of them have it, else fp16 if all
/// have fast fp16, else fp32; on the CPU (no `gpus`) fp32.
Precision resolve_precision(Precision wanted, const std::vector<Gpu>& gpus);

/// Whether every GPU computes well in `wanted`; without GPUs, the CPU.
Findings check_precision(Precision wanted, const std::vector<Gpu>& gpus);

/// Whether the driver serves the CUDA of this build.
///
/// driver_name: its own version ("535.129.03"), "" if not known.
Findings check_driver(const CudaVersions& versions,
                      const std::string& driver_name);

/// Whether LibTorch's kernels were compiled for these GPUs. A GPU runs code for
/// its own major version up to its minor one, and whatever newer drivers can
/// translate from the intermediate code (PTX) of older ones.
Findings check_architectures(const CudaVersions& versions,
                             const std::vector<Gpu>& gpus);

/// GPUs that are unlike each other or already in use.
Findings check_gpus(const std::vector<Gpu>& gpus);

}  // namespace longformer
