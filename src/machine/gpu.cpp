// SPDX-License-Identifier: MIT
#include "longformer/machine/gpu.h"

namespace longformer {

std::string to_text(ComputeCapability capability) {
  return std::to_string(capability.major) + "." +
         std::to_string(capability.minor);
}

std::string describe(const Gpu& gpu, std::size_t index) {
  return "GPU " + std::to_string(index) + " (" + gpu.name +
         ", compute capability " + to_text(gpu.capability) + ")";
}

std::string cuda_version_text(int version) {
  constexpr int kMajor = 1000;
  constexpr int kMinor = 10;
  return std::to_string(version / kMajor) + "." +
         std::to_string(version % kMajor / kMinor);
}

}  // namespace longformer
