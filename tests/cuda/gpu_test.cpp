// SPDX-License-Identifier: MIT
//
// What CUDA says about the first GPU, its memory, and NCCL with one rank.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/distributed/communicator.h"
#include "longformer/distributed/exchange_speed.h"

#include "gpu_environment.h"

namespace longformer::test {
namespace {

constexpr std::int64_t kBytes = 64 << 20;

at::Tensor bytes_on_gpu(std::int64_t bytes) {
  return at::empty({bytes}, at::TensorOptions(at::kByte).device(at::kCUDA, 0));
}

TEST(GpuTest, SaysWhatItIs) {
  LONGFORMER_NEED_GPU();
  const Gpu gpu = gpus()->gpu(0);
  EXPECT_NE(gpu.name, "");
  EXPECT_GE(gpu.capability, (ComputeCapability{5, 0}));
  EXPECT_GE(gpu.total_bytes, gpu.free_bytes);
  EXPECT_GT(gpu.free_bytes, 0U);
  EXPECT_THAT(gpu.pci_id, testing::MatchesRegex(
                              "[0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\\.0"));
  EXPECT_GT(gpus()->versions().driver, 0);
}

TEST(GpuTest, ItsAllocatorIsAccountedFor) {
  LONGFORMER_NEED_GPU();
  gpus()->reset_peak_memory(0);
  const GpuMemory before = gpus()->memory(0);
  {
    const at::Tensor tensor = bytes_on_gpu(kBytes);
    EXPECT_EQ(gpus()->memory(0).allocated, before.allocated + kBytes);
  }
  const GpuMemory after = gpus()->memory(0);
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_GE(after.peak_allocated, before.allocated + kBytes);
  EXPECT_GE(after.reserved, after.allocated);
  gpus()->reset_peak_memory(0);
  EXPECT_EQ(gpus()->memory(0).peak_allocated, after.allocated);
}

TEST(GpuTest, MoreThanThereIsIsAnErrorThatIsCounted) {
  LONGFORMER_NEED_GPU();
  const auto total = static_cast<std::int64_t>(gpus()->gpu(0).total_bytes);
  const std::int64_t before = gpus()->memory(0).failures;
  EXPECT_THROW(bytes_on_gpu(2 * total), c10::OutOfMemoryError);
  EXPECT_GT(gpus()->memory(0).failures, before);
  EXPECT_EQ(bytes_on_gpu(kBytes).fill_(1).sum().item<std::int64_t>(), kBytes);
}

TEST(GpuTest, NcclSumsWithOneRankWhileGlooServesTheCpu) {
  LONGFORMER_NEED_GPU();
  LaunchEnvironment launch;
  CommunicatorSettings settings;
  settings.cuda = gpus();
  Communicator communicator(launch, settings);
  for (const at::Device device :
       {at::Device(at::kCUDA, 0), at::Device(at::kCPU)}) {
    std::vector<at::Tensor> tensors{
        at::full({5}, 3, at::TensorOptions(at::kFloat).device(device))};
    communicator.group().allreduce(tensors)->wait();
    EXPECT_EQ(tensors[0].sum().item<float>(), 15) << device;
  }
  EXPECT_EQ(measure_exchange(communicator, true).size(), 3U);
}

}  // namespace
}  // namespace longformer::test
