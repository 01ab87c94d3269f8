// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include <torch/csrc/distributed/c10d/comm.hpp>

namespace longformer {

/// What went wrong on this rank while a bucket was prepared. The exchange
/// itself went on, since the other ranks wait for it.
struct ExchangeFailure {
  std::exception_ptr exception;
};

/// Sums a bucket over all ranks, divided by their number first: halves would
/// overflow otherwise.
class ExchangeHook : public c10d::CommHookInterface {
 public:
  /// `compress`: the bucket travels in half precision. `failure` outlives this.
  ExchangeHook(c10::intrusive_ptr<c10d::ProcessGroup> group, bool compress,
               ExchangeFailure& failure);

  c10::intrusive_ptr<c10::ivalue::Future> runHook(
      c10d::GradBucket& bucket) override;
  at::Tensor parseHookResult(const c10::IValue& result) override;

 private:
  struct Compressed {
    at::Tensor half;
    at::Tensor buffer;
  };

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  bool compress_;
  ExchangeFailure& failure_;
  /// By bucket. The halves are kept: memory may have run out in a later step.
  std::vector<Compressed> compressed_;
};

}  // namespace longformer
