// SPDX-License-Identifier: MIT
#include "nccl_backend.h"

#include <torch/csrc/cuda/nccl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace longformer {

void add_nccl_backend(c10d::ProcessGroup& group, c10d::Store& store, int index,
                      std::chrono::milliseconds timeout) {
  using Nccl = c10d::ProcessGroupNCCL;
  const auto options = Nccl::Options::create();
  options->timeout = timeout;
  auto shared_store = c10::intrusive_ptr<c10d::Store>::reclaim_copy(&store);
  const auto backend = c10::make_intrusive<Nccl>(
      c10::make_intrusive<c10d::PrefixStore>("nccl", std::move(shared_store)),
      group.getRank(), group.getSize(), options);
  group.setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
                   backend);
  // Connects the ranks now, so that all of them meet or fail at the start, and
  // not in the first exchange.
  const at::Device gpu(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  backend->setBoundDeviceId(gpu);
  backend->eagerConnectSingleDevice(gpu);
}

std::string nccl_version() {
  // LibTorch puts the three numbers into one.
  constexpr std::uint64_t kMajor = std::uint64_t{1} << 32;
  constexpr std::uint64_t kMinor = std::uint64_t{1} << 16;
  const std::uint64_t version = torch::cuda::nccl::version();
  return std::to_string(version / kMajor) + "." +
         std::to_string(version % kMajor / kMinor) + "." +
         std::to_string(version % kMinor);
}

}  // namespace longformer
