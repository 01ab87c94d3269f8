// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace longformer {

/// See CudaRuntime::add_nccl(). The GPU is known to be there.
void add_nccl_backend(c10d::ProcessGroup& group, c10d::Store& store, int index,
                      std::chrono::milliseconds timeout);

/// "2.27.5"
std::string nccl_version();

}  // namespace longformer
