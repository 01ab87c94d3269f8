// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "longformer/attention/attention.h"
#include "longformer/attention/global_rows.h"

namespace longformer::test {

/// A packed batch for attention tests: lengths and the global positions of
/// each document.
struct BatchShape {
  const char* name;
  std::vector<std::int64_t> lengths;
  std::vector<std::vector<std::int32_t>> globals;
};

/// Prefixes, scattered globals, none, all; lengths from 1 to several windows.
const std::vector<BatchShape>& batch_shapes();

PackedLayout make_layout(const BatchShape& shape);

/// Normal numbers that depend on `seed` only.
at::Tensor random_rows(std::int64_t rows, std::int64_t columns,
                       std::uint64_t seed, at::ScalarType dtype);

/// Inputs of one attention layer on a batch.
struct AttentionInputs {
  at::Tensor query, key, value;  ///< [T, E]
  at::Tensor output_gradient;    ///< [T, E]
  GlobalRowsInputs rows;
  at::Tensor rows_output_gradient;  ///< [N, E]
};
AttentionInputs random_inputs(const PackedLayout& layout, std::int64_t hidden,
                              at::ScalarType dtype);

double largest_difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace longformer::test
