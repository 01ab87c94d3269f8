// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

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

/// Index tensors are on `device`.
PackedLayout make_layout(const BatchShape& shape, at::Device device = at::kCPU);

/// One case of a test of every path of attention.
struct AttentionCase {
  std::size_t shape;  ///< Into batch_shapes().
  std::int64_t window;
  double dropout;
  at::ScalarType dtype;
};
/// Every shape with these windows, with and without dropout, in fp64 and fp32.
std::vector<AttentionCase> attention_cases(
    const std::vector<std::int64_t>& windows);
std::string name_of_case(const testing::TestParamInfo<AttentionCase>& tested);
/// Without this, the bytes of the object would be part of the test's name.
void PrintTo(const AttentionCase& tested, std::ostream* out);

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
