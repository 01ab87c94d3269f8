// SPDX-License-Identifier: MIT
#pragma once

#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "longformer/distributed/gradient_exchange.h"

#include "exchange_hook.h"

namespace longformer {

/// A c10d::Reducer and what has to live as long.
struct ReducerPair {
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;
};

/// The only code that knows the Reducer's constructor, which differs between
/// releases of LibTorch.
///
/// `hook_order`: indices into `parameters` in the order in which a backward
/// pass reaches them. Buckets are formed from it as the Reducer itself forms
/// them after its first backward pass, so that it changes nothing then, and
/// sums have the same bits before and after. `failure`: see ExchangeHook.
ReducerPair make_reducer(const std::vector<at::Tensor>& parameters,
                         const std::vector<std::int64_t>& hook_order,
                         c10d::ProcessGroup& group,
                         const GradientExchangeSettings& settings,
                         ExchangeFailure& failure);

}  // namespace longformer
