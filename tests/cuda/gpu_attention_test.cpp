// SPDX-License-Identifier: MIT
//
// Blocked attention on a GPU against the dense reference on the CPU. fp64: only
// the order of sums differs. fp32: products on tensor cores are switched off,
// so the tolerance is that of the CPU's tests.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "longformer/attention/attention.h"
#include "longformer/attention/dense_reference.h"

#include "../attention/random_attention.h"
#include "gpu_environment.h"

namespace longformer::test {
namespace {

constexpr std::int64_t kHidden = 12;
constexpr std::int64_t kHeads = 3;
const at::Device kGpu(at::kCUDA, 0);

class GpuAttentionTest : public testing::TestWithParam<AttentionCase> {
 protected:
  GpuAttentionTest() { at::globalContext().setAllowTF32CuBLAS(false); }
  AttentionSettings settings(AttentionPath path) const {
    return {kHeads, GetParam().window, {GetParam().dropout, {11, 22}, 5}, path};
  }
  void expect_same(const at::Tensor& actual, const at::Tensor& expected,
                   const char* what) const {
    const double tolerance = GetParam().dtype == at::kDouble ? 1e-12 : 5e-5;
    EXPECT_TRUE(actual.device() == kGpu) << what;
    EXPECT_LE(largest_difference(actual.cpu(), expected), tolerance) << what;
  }
};

TEST_P(GpuAttentionTest, LocalTokensEqualTheDenseReference) {
  LONGFORMER_NEED_GPU();
  const BatchShape& shape = batch_shapes()[GetParam().shape];
  const PackedLayout layout = make_layout(shape);
  const AttentionInputs in = random_inputs(layout, kHidden, GetParam().dtype);
  const auto dense = settings(AttentionPath::kDenseReference);
  const at::Tensor expected =
      dense_local_attention(in.query, in.key, in.value, layout, dense);
  const auto wanted = dense_local_attention_backward(
      in.output_gradient, in.query, in.key, in.value, layout, dense);

  const PackedLayout on_gpu = make_layout(shape, kGpu);
  const auto blocked = settings(AttentionPath::kBlocked);
  const at::Tensor query = in.query.to(kGpu);
  const at::Tensor key = in.key.to(kGpu);
  const at::Tensor value = in.value.to(kGpu);
  const LocalAttention forward =
      local_attention_forward(query, key, value, on_gpu, blocked);
  expect_same(forward.output_TE, expected, "output");
  const auto gradients = local_attention_backward(
      in.output_gradient.to(kGpu), query, key, value, forward, on_gpu, blocked);
  expect_same(gradients.query_TE, wanted.query_TE, "query");
  expect_same(gradients.key_TE, wanted.key_TE, "key");
  expect_same(gradients.value_TE, wanted.value_TE, "value");
}

TEST_P(GpuAttentionTest, GlobalRowsEqualTheDenseReference) {
  LONGFORMER_NEED_GPU();
  const BatchShape& shape = batch_shapes()[GetParam().shape];
  const PackedLayout layout = make_layout(shape);
  const AttentionInputs in = random_inputs(layout, kHidden, GetParam().dtype);
  const auto dense = settings(AttentionPath::kDenseReference);
  const at::Tensor key_bias = random_rows(1, kHidden, 12, GetParam().dtype)[0];
  const at::Tensor expected =
      dense_global_rows(in.rows, key_bias, layout, dense);
  at::Tensor wanted_hidden = at::zeros_like(in.rows.hidden_TE);
  const auto wanted = dense_global_rows_backward(
      in.rows_output_gradient, in.rows, layout, dense, wanted_hidden);

  const PackedLayout on_gpu = make_layout(shape, kGpu);
  const auto product = settings(AttentionPath::kAuto);
  const GlobalRowsInputs rows{
      in.rows.hidden_TE.to(kGpu), in.rows.query_NE.to(kGpu),
      in.rows.key_weight_EE.to(kGpu), in.rows.value_weight_EE.to(kGpu),
      in.rows.value_bias_E.to(kGpu)};
  const GlobalRows forward = global_rows_forward(rows, on_gpu, product);
  expect_same(forward.output_NE, expected, "output");
  at::Tensor hidden = at::zeros_like(rows.hidden_TE);
  const auto gradients = global_rows_backward(
      in.rows_output_gradient.to(kGpu), rows, forward, on_gpu, product, hidden);
  expect_same(gradients.query_NE, wanted.query_NE, "query");
  expect_same(gradients.key_weight_EE, wanted.key_weight_EE, "key weight");
  expect_same(gradients.value_weight_EE, wanted.value_weight_EE,
              "value weight");
  expect_same(gradients.value_bias_E, wanted.value_bias_E, "value bias");
  expect_same(hidden, wanted_hidden, "hidden");
}

INSTANTIATE_TEST_SUITE_P(Grid, GpuAttentionTest,
                         testing::ValuesIn(attention_cases({1, 8, 200})),
                         name_of_case);

}  // namespace
}  // namespace longformer::test
