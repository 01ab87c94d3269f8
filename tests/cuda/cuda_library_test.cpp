// SPDX-License-Identifier: MIT
//
// liblongformer_cuda.so with the LibTorch that it needs, on any machine: with a
// GPU, the calls that need none still have to work, and the others have to say
// what is wrong.
#include "longformer/machine/cuda_library.h"

#include <chrono>

#include <ATen/Functions.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/base/error.h"

#include "support/temp_dir.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

/// With a device folder that looks like one of a machine with a driver.
CudaRuntime& runtime() {
  static const TempDir devices;
  static const CudaLibrary& library = [&]() -> const CudaLibrary& {
    devices.write("nvidiactl", "");
    CudaPlaces places = cuda_places();
    places.library = LONGFORMER_CUDA_LIBRARY;
    places.device_folder = devices.path();
    return load_cuda(places);
  }();
  if (library.runtime == nullptr) throw std::runtime_error(library.reason);
  return *library.runtime;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CudaLibraryTest, LoadsAndKnowsItsVersions) {
  const CudaVersions versions = runtime().versions();
  EXPECT_GE(versions.runtime, 11000);
  EXPECT_THAT(versions.nccl, testing::MatchesRegex("2\\.[0-9]+\\.[0-9]+"));
  if (runtime().count_gpus().count > 0) {
    EXPECT_THAT(versions.architectures, HasSubstr("code=sm_"));
  }
}

TEST(CudaLibraryTest, LibTorchSeesItsCudaHalf) {
  EXPECT_EQ(at::detail::getCUDAHooks().versionCUDART(),
            runtime().versions().runtime);
  // Tensors on the CPU are none the worse.
  EXPECT_EQ(at::ones({3}).sum().item<float>(), 3);
}

TEST(CudaLibraryTest, AGpuThatIsNotThereIsNamedWithTheReason) {
  const GpuCount gpus = runtime().count_gpus();
  const std::string expected =
      gpus.count == 0 ? "no GPU: " + gpus.reason : "no GPU 99: there are ";
  if (gpus.count == 0) {
    EXPECT_THAT(gpus.reason, HasSubstr("CUDA"));
  }
  for (const auto& action : std::vector<std::function<void()>>{
           [] { runtime().gpu(99); }, [] { runtime().memory(99); },
           [] { runtime().can_access_peer(99, 99); },
           [] { runtime().reset_peak_memory(99); },
           [] { runtime().synchronize(99); }}) {
    EXPECT_THAT(message_of(action), HasSubstr(expected));
  }
}

TEST(CudaLibraryTest, NcclWithoutAGpuIsRefusedBeforeRanksWaitForEachOther) {
  runtime();  // Before the first tensor.
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, 0, 2);
  EXPECT_THAT(message_of([&] {
                runtime().add_nccl(*group, *store, 99, std::chrono::seconds(5));
              }),
              HasSubstr("no GPU"));
}

}  // namespace
}  // namespace longformer::test
