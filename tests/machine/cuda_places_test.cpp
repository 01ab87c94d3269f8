// SPDX-License-Identifier: MIT
//
// Why there is no CUDA: each reason in turn, in made-up folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/machine/cuda_library.h"

#include "support/temp_dir.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaPlacesTest : public testing::Test {
 protected:
  CudaPlacesTest() {
    places_.library = directory_ / "liblongformer_cuda.so";
    places_.libtorch_folder = directory_ / "lib";
    places_.device_folder = directory_ / "dev";
  }

  TempDir directory_;
  CudaPlaces places_;
};

TEST_F(CudaPlacesTest, ABuildWithoutCudaIsNamedFirst) {
  directory_.write("dev/nvidiactl", "");
  EXPECT_THAT(reason_against_cuda(places_),
              AllOf(HasSubstr("this build of longformer computes on the CPU"),
                    HasSubstr("liblongformer_cuda.so is not there")));
}

TEST_F(CudaPlacesTest, AMachineWithoutDriverIsNamedNext) {
  directory_.write("liblongformer_cuda.so", "");
  EXPECT_THAT(reason_against_cuda(places_),
              AllOf(HasSubstr("this machine has no NVIDIA driver"),
                    HasSubstr("dev/nvidiactl")));
}

TEST_F(CudaPlacesTest, ALibTorchForCpusIsNamedLast) {
  directory_.write("liblongformer_cuda.so", "");
  directory_.write("dev/nvidia0", "");
  EXPECT_THAT(reason_against_cuda(places_), HasSubstr("is one for CPUs"));
  EXPECT_EQ(usable_gpus(places_).count, 0);
  directory_.write("lib/libtorch_cuda.so", "");
  EXPECT_EQ(reason_against_cuda(places_), "");
}

TEST_F(CudaPlacesTest, DeviceFilesAreCounted) {
  directory_.write("liblongformer_cuda.so", "");
  directory_.write("lib/libtorch_cuda.so", "");
  directory_.write("dev/nvidiactl", "");
  EXPECT_THAT(usable_gpus(places_).reason, HasSubstr("shows no GPU"));
  directory_.write("dev/nvidia0", "");
  directory_.write("dev/nvidia1", "");
  EXPECT_EQ(usable_gpus(places_).count, 2);
  EXPECT_EQ(usable_gpus(places_).reason, "");
}

TEST_F(CudaPlacesTest, ALibraryThatCannotBeLoadedLeavesAProgramForTheCpu) {
  directory_.write("liblongformer_cuda.so", "no library");
  directory_.write("lib/libtorch_cuda.so", "no library");
  directory_.write("dev/nvidia0", "");
  const CudaLibrary& library = load_cuda(places_);
  EXPECT_EQ(library.runtime, nullptr);
  EXPECT_THAT(library.reason, AllOf(HasSubstr("CUDA cannot be loaded"),
                                    HasSubstr("libtorch_cuda.so")));
}

}  // namespace
}  // namespace longformer::test
