// SPDX-License-Identifier: MIT
#include "exchange_hook.h"

#include <utility>

#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/base/fault_point.h"

namespace longformer {

ExchangeHook::ExchangeHook(c10::intrusive_ptr<c10d::ProcessGroup> group,
                           bool compress, ExchangeFailure& failure)
    : group_(std::move(group)), compress_(compress), failure_(failure) {}

c10::intrusive_ptr<c10::ivalue::Future> ExchangeHook::runHook(
    c10d::GradBucket& bucket) {
  const at::Tensor buffer = bucket.getBuffer();
  std::vector<at::Tensor> travelling{buffer};
  try {
    fault_point("exchange");
    buffer.div_(group_->getSize());
    if (compress_) {
      if (bucket.getIndex() >= compressed_.size()) {
        compressed_.resize(bucket.getIndex() + 1);
      }
      Compressed& compressed = compressed_[bucket.getIndex()];
      if (!compressed.half.defined() ||
          compressed.half.numel() != buffer.numel()) {
        compressed.half =
            at::empty(buffer.sizes(), buffer.options().dtype(at::kHalf));
      }
      compressed.buffer = buffer;
      travelling[0] = compressed.half.copy_(buffer);
    }
  } catch (...) {
    failure_.exception = std::current_exception();
  }
  return group_->allreduce(travelling)->getFuture();
}

at::Tensor ExchangeHook::parseHookResult(const c10::IValue& result) {
  const at::Tensor sum = c10d::detail::parseCppCommHookResult(result);
  for (const Compressed& compressed : compressed_) {
    if (compressed.half.is_same(sum)) {
      return compressed.buffer.copy_(compressed.half);
    }
  }
  return sum;
}

}  // namespace longformer
