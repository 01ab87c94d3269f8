// SPDX-License-Identifier: MIT
#include "fused_inputs.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>

namespace longformer {

const WindowKernel& window_kernel(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      break;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return kAvx2WindowKernel;
    case InstructionSet::kAvx512:
      return kAvx512WindowKernel;
#else
    default:
      break;
#endif
  }
  return kPortableWindowKernel;
}

at::Tensor with_adjacent_columns(const at::Tensor& tensor) {
  return tensor.stride(1) == 1 ? tensor : tensor.contiguous();
}

FusedInputs::FusedInputs(const at::Tensor& query_TE, const at::Tensor& key_TE,
                         const at::Tensor& value_TE, const PackedLayout& layout,
                         const AttentionSettings& settings)
    : layout_(layout),
      query_TE_(with_adjacent_columns(query_TE)),
      key_TE_(with_adjacent_columns(key_TE)),
      value_TE_(with_adjacent_columns(value_TE)),
      num_heads_(settings.num_heads),
      head_size_(query_TE.size(1) / settings.num_heads),
      definition_(settings.dropout) {
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    longest_document_ = std::max(longest_document_, layout.length(b));
  }
  window_ = std::min(settings.window, longest_document_);
  dropout_.threshold = definition_.threshold();
  dropout_.scale = static_cast<float>(definition_.scale());
  PhiloxKey key = definition_.key;
  for (auto& round : dropout_.round_keys) {
    round[0] = key.low;
    round[1] = key.high;
    key.low += 0x9E3779B9;
    key.high += 0xBB67AE85;
  }
}

WindowHead FusedInputs::head(std::int64_t document, std::int64_t head) const {
  WindowHead result;
  result.query = rows(query_TE_, document, head, head_size_);
  result.key = rows(key_TE_, document, head, head_size_);
  result.value = rows(value_TE_, document, head, head_size_);
  result.length = layout_.length(document);
  result.globals = layout_.globals(document).count();
  result.window = std::min(window_, result.length);
  result.head_size = head_size_;
  result.scale =
      static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size_)));
  result.dropout = dropout_;
  const PhiloxBlock counter = dropout_counter(
      definition_.layer, DropoutSite::kLocalAttention,
      static_cast<std::uint32_t>(head), layout_.document_index(document),
      /*token=*/0, /*group=*/0);
  result.dropout.place = counter[2];
  result.dropout.document = counter[3];
  return result;
}

HeadRows FusedInputs::rows(const at::Tensor& tensor, std::int64_t document,
                           std::int64_t head, std::int64_t head_size) const {
  return {tensor.const_data_ptr<float>() +
              layout_.begin(document) * tensor.stride(0) + head * head_size,
          tensor.stride(0)};
}

MutableHeadRows FusedInputs::mutable_rows(const at::Tensor& tensor,
                                          std::int64_t document,
                                          std::int64_t head,
                                          std::int64_t head_size) const {
  return {tensor.data_ptr<float>() +
              layout_.begin(document) * tensor.stride(0) + head * head_size,
          tensor.stride(0)};
}

std::int64_t FusedInputs::num_runs(std::int64_t pieces) const {
  // A thread is worth waking for some ten microseconds of work.
  constexpr std::int64_t kProductsPerRun = std::int64_t{1} << 19;
  const std::int64_t products =
      layout_.num_tokens() * num_heads_ * head_size_ * (2 * window_ + 1);
  return std::clamp<std::int64_t>(
      std::min(products / kProductsPerRun, pieces), 1,
      at::in_parallel_region() ? 1 : at::get_num_threads());
}

void clear_global_rows(const PackedLayout& layout, const at::Tensor& tensor) {
  if (layout.num_global_tokens() == 0) return;
  float* const rows = tensor.data_ptr<float>();
  const std::int64_t stride = tensor.stride(0);
  for (std::int64_t b = 0; b < layout.num_documents(); ++b) {
    std::fill_n(rows + layout.begin(b) * stride,
                layout.globals(b).count() * stride, 0.0F);
  }
}

void for_each_run(std::int64_t runs,
                  const std::function<void(std::int64_t run)>& body) {
  at::parallel_for(0, runs, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t run = begin; run < end; ++run) body(run);
  });
}

}  // namespace longformer
