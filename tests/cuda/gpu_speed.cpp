// SPDX-License-Identifier: MIT
//
// Times what a training on one GPU consists of and prints one JSON object; the
// numbers are for reading, none is judged. Fails without a GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "longformer/attention/attention.h"
#include "longformer/base/strict_json.h"
#include "longformer/machine/cuda_library.h"

namespace longformer {
namespace {

constexpr double kGiga = 1e9;
const at::Device kGpu(at::kCUDA, 0);

/// Median seconds of five calls after two to warm up.
double time_of(CudaRuntime& cuda, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWarmUps = 2;
  constexpr int kRounds = 5;
  std::vector<double> times;
  for (int round = -kWarmUps; round < kRounds; ++round) {
    cuda.synchronize(0);
    const Clock::time_point start = Clock::now();
    work();
    cuda.synchronize(0);
    const std::chrono::duration<double> time = Clock::now() - start;
    if (round >= 0) times.push_back(time.count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

Json copy_speed(CudaRuntime& cuda) {
  const at::Tensor host = at::ones({std::int64_t{256} << 20}, at::kByte);
  const double seconds = time_of(cuda, [&] { host.to(kGpu); });
  return {{"host_to_gpu_gb_per_s", host.nbytes() / kGiga / seconds}};
}

Json product_speed(CudaRuntime& cuda, at::ScalarType dtype) {
  constexpr std::int64_t kSize = 4096;
  const at::Tensor square =
      at::ones({kSize, kSize}, at::TensorOptions(dtype).device(kGpu));
  const double seconds = time_of(cuda, [&] { square.mm(square); });
  constexpr double kOperations = 2.0 * kSize * kSize * kSize;
  return {{"size", kSize},
          {"dtype", at::toString(dtype)},
          {"tflop_per_s", kOperations / seconds / kGiga / 1e3}};
}

/// One layer of the published base model on one long document.
Json attention_speed(CudaRuntime& cuda) {
  constexpr std::int64_t kTokens = 4096;
  constexpr std::int64_t kHidden = 768;
  const auto layout = PackedLayout::with_prefix({kTokens}, 1, kGpu);
  const AttentionSettings settings{12, 256, {}, AttentionPath::kAuto};
  const auto rows = [] {
    return at::randn({kTokens, kHidden},
                     at::TensorOptions(at::kFloat).device(kGpu));
  };
  const at::Tensor query = rows(), key = rows(), value = rows();
  const at::Tensor gradient = rows();
  cuda.reset_peak_memory(0);
  LocalAttention forward;
  const double forward_s = time_of(cuda, [&] {
    forward = local_attention_forward(query, key, value, layout, settings);
  });
  const double backward_s = time_of(cuda, [&] {
    local_attention_backward(gradient, query, key, value, forward, layout,
                             settings);
  });
  return {{"tokens", kTokens},
          {"forward_seconds", forward_s},
          {"backward_seconds", backward_s},
          {"peak_bytes", cuda.memory(0).peak_allocated}};
}

int run() {
  const CudaLibrary& library = load_cuda();
  const GpuCount gpus = library.runtime == nullptr
                            ? GpuCount{0, library.reason}
                            : library.runtime->count_gpus();
  if (gpus.count == 0) {
    std::fprintf(stderr, "gpu_speed: no GPU: %s\n", gpus.reason.c_str());
    return 1;
  }
  CudaRuntime& cuda = *library.runtime;
  const Json report = {
      {"gpu", cuda.gpu(0).name},
      {"copy", copy_speed(cuda)},
      {"products",
       {product_speed(cuda, at::kFloat), product_speed(cuda, at::kHalf)}},
      {"attention_fp32", attention_speed(cuda)}};
  std::printf("%s\n", report.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace longformer

int main() {
  try {
    return longformer::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_speed: %s\n", error.what());
    return 1;
  }
}
