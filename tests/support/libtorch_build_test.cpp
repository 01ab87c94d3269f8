// SPDX-License-Identifier: MIT
//
// What the build system promises to code with tensors.
#include <atomic>
#include <cstdint>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

namespace longformer {
namespace {

TEST(LibTorchBuildTest, ParallelForUsesAllThreads) {
  // Without -fopenmp at::parallel_for makes a single chunk, silently.
  std::atomic<int> chunks{0};
  at::parallel_for(0, 1000, 1, [&](std::int64_t, std::int64_t) { ++chunks; });
  EXPECT_EQ(chunks, at::get_num_threads());
}

TEST(LibTorchBuildTest, LoggingAndTensorsCompileTogether) {
  // LibTorch ships a newer fmt, with which the system's spdlog does not
  // compile; the system's must come first.
  EXPECT_EQ(fmt::format("{:.2f}", torch::full({}, 0.5).item<double>()), "0.50");
  EXPECT_TRUE(spdlog::default_logger() != nullptr);
}

}  // namespace
}  // namespace longformer
