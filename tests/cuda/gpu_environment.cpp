// SPDX-License-Identifier: MIT
#include "gpu_environment.h"

#include <gtest/gtest.h>

#include "longformer/machine/cuda_library.h"

namespace longformer::test {
namespace {

/// Tests make tensors, so CUDA has to be there before all of them.
class LoadCuda : public testing::Environment {
  void SetUp() override { load_cuda(); }
};

const testing::Environment* const kLoadCuda =
    testing::AddGlobalTestEnvironment(new LoadCuda);

}  // namespace

CudaRuntime* gpus() {
  const CudaLibrary& library = load_cuda();
  const bool has_gpu =
      library.runtime != nullptr && library.runtime->count_gpus().count > 0;
  return has_gpu ? library.runtime : nullptr;
}

std::string skip_reason() {
  const CudaLibrary& library = load_cuda();
  return library.runtime == nullptr ? library.reason
                                    : library.runtime->count_gpus().reason;
}

}  // namespace longformer::test
