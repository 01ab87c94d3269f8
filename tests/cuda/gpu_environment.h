// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/machine/cuda_runtime.h"

namespace longformer::test {

/// CUDA with at least one GPU; loaded before the first test. Null if there is
/// none: then a test skips itself with skip_reason().
CudaRuntime* gpus();
std::string skip_reason();

}  // namespace longformer::test

/// The first line of a test that needs a GPU.
#define LONGFORMER_NEED_GPU()                        \
  if (longformer::test::gpus() == nullptr) {         \
    GTEST_SKIP() << longformer::test::skip_reason(); \
  }                                                  \
  static_assert(true)
