// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/distributed/communicator.h"

namespace longformer {

struct GradientExchangeSettings {
  /// Gradients travel together in buckets of about so many bytes. The first is
  /// smaller: it is ready first, and nothing hides the last.
  std::int64_t first_bucket_bytes = 1 << 20;
  std::int64_t bucket_bytes = 25 << 20;
  /// Gradients travel in half precision: half of the bytes of fp32.
  bool compress = false;
};

/// Averages the gradients of all ranks while the backward pass still runs:
/// c10d::Reducer (Li et al. 2020, arXiv:2006.15704) in a form that survives
/// failures.
///
/// From construction on the grad fields are views into the buckets: clear them
/// with zero(), never replace them. Each step, on every rank: zero(), any
/// number of backward passes of one's own, then one backward(), in which the
/// ranks exchange. A rank whose backward pass fails still takes part, so no
/// rank waits for another that gave up; whether all succeeded has to be agreed
/// afterwards.
class GradientExchange {
 public:
  /// Makes a scalar whose backward pass reaches every parameter in the order of
  /// the loss's and gives it no gradient.
  using Anchor = std::function<at::Tensor()>;

  /// Collective. `parameters`: the same, in the same order, on every rank; they
  /// and `communicator` outlive this. Throws PeerError.
  GradientExchange(Communicator& communicator,
                   std::vector<at::Tensor> parameters, Anchor anchor,
                   const GradientExchangeSettings& settings = {});
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// Sets all gradients to 0.
  void zero();

  /// Collective: the backward pass of `loss`, and the exchange. Afterwards each
  /// gradient is the sum over all ranks divided by their number. An undefined
  /// loss adds nothing to what the grad fields hold.
  ///
  /// An exception of the backward pass leaves this when the exchange is
  /// complete. Throws PeerError if that failed.
  void backward(const at::Tensor& loss);

  std::int64_t num_buckets() const;
  /// How long this rank waited in the last backward() after its own backward
  /// pass was done: the part of the exchange that nothing hid.
  double wait_seconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace longformer
