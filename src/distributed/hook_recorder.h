// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <torch/csrc/autograd/function.h>

namespace longformer {

/// Notes in which order a backward pass reaches the parameters. It cannot be
/// guessed: within one node the engine takes them from a heap.
class HookRecorder {
 public:
  explicit HookRecorder(const std::vector<at::Tensor>& parameters);
  ~HookRecorder();
  HookRecorder(const HookRecorder&) = delete;
  HookRecorder& operator=(const HookRecorder&) = delete;

  using Clock = std::chrono::steady_clock;

  void clear() { order_.clear(); }
  /// Indices of the parameters reached since clear().
  const std::vector<std::int64_t>& order() const { return order_; }
  /// When the last parameter was reached.
  Clock::time_point last_time() const { return last_time_; }

 private:
  struct Hook {
    std::shared_ptr<torch::autograd::Node> accumulator;
    std::uintptr_t key = 0;
  };
  std::vector<Hook> hooks_;
  std::vector<std::int64_t> order_;
  Clock::time_point last_time_;
};

}  // namespace longformer
