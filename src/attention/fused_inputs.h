// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

#include "longformer/attention/attention.h"
#include "longformer/attention/instruction_set.h"

#include "window_kernel.h"

namespace longformer {

/// The kernel for an instruction set that is_supported.
const WindowKernel& window_kernel(InstructionSet set);

/// The tensors of one call of the fused kernel as views of single heads. Holds
/// references to layout and settings.
class FusedInputs {
 public:
  FusedInputs(const at::Tensor& query_TE, const at::Tensor& key_TE,
              const at::Tensor& value_TE, const PackedLayout& layout,
              const AttentionSettings& settings);

  std::int64_t num_heads() const { return num_heads_; }
  std::int64_t head_size() const { return head_size_; }
  std::int64_t longest_document() const { return longest_document_; }
  /// One side, no larger than the longest document.
  std::int64_t window() const { return window_; }

  WindowHead head(std::int64_t document, std::int64_t head) const;

  /// The rows of one document and head in a tensor [T, E] or, with one element
  /// per head, [T, H].
  HeadRows rows(const at::Tensor& tensor, std::int64_t document,
                std::int64_t head, std::int64_t head_size) const;
  MutableHeadRows mutable_rows(const at::Tensor& tensor, std::int64_t document,
                               std::int64_t head, std::int64_t head_size) const;

  /// On how many threads work of so many products of a query with a key is
  /// worth to be spread, at most as many as there are.
  std::int64_t num_runs(std::int64_t pieces) const;

 private:
  const PackedLayout& layout_;
  at::Tensor query_TE_, key_TE_, value_TE_;
  std::int64_t num_heads_;
  std::int64_t head_size_;
  std::int64_t longest_document_ = 0;
  std::int64_t window_;
  HeadDropout dropout_;  ///< `place` and `document` of no head yet.
  Dropout definition_;
};

/// The tensor itself where its columns are adjacent, else a copy.
at::Tensor with_adjacent_columns(const at::Tensor& tensor);

/// Zeroes the rows of all global tokens, given that they are prefixes.
void clear_global_rows(const PackedLayout& layout, const at::Tensor& tensor);

/// Calls body(run) for [0, runs), on as many threads.
void for_each_run(std::int64_t runs,
                  const std::function<void(std::int64_t run)>& body);

}  // namespace longformer
