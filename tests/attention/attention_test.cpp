// SPDX-License-Identifier: MIT
//
// Every path of local attention and of the global rows against the dense
// reference, forward and backward, with and without dropout.
#include "longformer/attention/attention.h"

#include <gtest/gtest.h>

#include "longformer/attention/dense_reference.h"

#include "random_attention.h"

namespace longformer::test {
namespace {

constexpr std::int64_t kHeads = 3;
constexpr std::int64_t kHidden = 24;

class AttentionTest : public testing::TestWithParam<AttentionCase> {
 protected:
  AttentionTest()
      : layout_(make_layout(batch_shapes()[GetParam().shape])),
        inputs_(random_inputs(layout_, kHidden, GetParam().dtype)) {}

  AttentionSettings settings(AttentionPath path) const {
    return {kHeads, GetParam().window, {GetParam().dropout, {11, 22}, 5}, path};
  }
  double tolerance() const {
    return GetParam().dtype == at::kDouble ? 1e-12 : 5e-5;
  }
  void expect_same(const at::Tensor& actual, const at::Tensor& expected,
                   const char* what) const {
    EXPECT_LE(largest_difference(actual, expected), tolerance()) << what;
  }

  PackedLayout layout_;
  AttentionInputs inputs_;
};

TEST_P(AttentionTest, LocalTokensEqualTheDenseReference) {
  const auto dense = settings(AttentionPath::kDenseReference);
  const at::Tensor expected = dense_local_attention(
      inputs_.query, inputs_.key, inputs_.value, layout_, dense);
  const auto wanted = dense_local_attention_backward(
      inputs_.output_gradient, inputs_.query, inputs_.key, inputs_.value,
      layout_, dense);
  for (const AttentionPath path :
       {AttentionPath::kBlocked, AttentionPath::kAuto}) {
    const LocalAttention forward = local_attention_forward(
        inputs_.query, inputs_.key, inputs_.value, layout_, settings(path));
    expect_same(forward.output_TE, expected, "output");
    const auto gradients = local_attention_backward(
        inputs_.output_gradient, inputs_.query, inputs_.key, inputs_.value,
        forward, layout_, settings(path));
    expect_same(gradients.query_TE, wanted.query_TE, "query");
    expect_same(gradients.key_TE, wanted.key_TE, "key");
    expect_same(gradients.value_TE, wanted.value_TE, "value");
  }
}

TEST_P(AttentionTest, GlobalRowsEqualTheDenseReference) {
  const auto dense = settings(AttentionPath::kDenseReference);
  const at::Tensor key_bias = random_rows(1, kHidden, 12, GetParam().dtype)[0];
  const at::Tensor expected =
      dense_global_rows(inputs_.rows, key_bias, layout_, dense);
  at::Tensor wanted_hidden = at::zeros_like(inputs_.rows.hidden_TE);
  const auto wanted =
      dense_global_rows_backward(inputs_.rows_output_gradient, inputs_.rows,
                                 layout_, dense, wanted_hidden);
  const auto product = settings(AttentionPath::kAuto);
  const GlobalRows forward =
      global_rows_forward(inputs_.rows, layout_, product);
  expect_same(forward.output_NE, expected, "output");
  at::Tensor hidden = at::zeros_like(inputs_.rows.hidden_TE);
  const auto gradients =
      global_rows_backward(inputs_.rows_output_gradient, inputs_.rows, forward,
                           layout_, product, hidden);
  expect_same(gradients.query_NE, wanted.query_NE, "query");
  expect_same(gradients.key_weight_EE, wanted.key_weight_EE, "key weight");
  expect_same(gradients.value_weight_EE, wanted.value_weight_EE,
              "value weight");
  expect_same(gradients.value_bias_E, wanted.value_bias_E, "value bias");
  expect_same(hidden, wanted_hidden, "hidden");
}

INSTANTIATE_TEST_SUITE_P(Grid, AttentionTest,
                         testing::ValuesIn(attention_cases({1, 2, 8, 200})),
                         name_of_case);

// allenai/longformer issue 194: a window that acts twice as wide.
TEST(LocalAttentionTest, ATokenReachesExactlyItsWindow) {
  const PackedLayout layout = PackedLayout::with_prefix({40}, 0);
  const AttentionSettings settings{1, 8, {}, AttentionPath::kAuto};
  const at::Tensor query = random_rows(40, 8, 1, at::kDouble);
  const at::Tensor key = random_rows(40, 8, 2, at::kDouble);
  const at::Tensor value = random_rows(40, 8, 3, at::kDouble);
  const at::Tensor before =
      local_attention_forward(query, key, value, layout, settings).output_TE;
  at::Tensor changed = value.clone();
  changed[20] += 1.0;
  const at::Tensor after =
      local_attention_forward(query, key, changed, layout, settings).output_TE;
  for (std::int64_t i = 0; i < 40; ++i) {
    const bool moved = !at::equal(before[i], after[i]);
    EXPECT_EQ(moved, std::abs(i - 20) <= 8) << "token " << i;
  }
}

TEST(LocalAttentionTest, ADocumentDoesNotDependOnItsCompanions) {
  const std::vector<std::int64_t> lengths{13, 40, 1, 22};
  const PackedLayout together = PackedLayout::with_prefix(lengths, 1);
  const AttentionSettings settings{2, 4, {}, AttentionPath::kAuto};
  const at::Tensor query = random_rows(76, 16, 1, at::kFloat);
  const at::Tensor key = random_rows(76, 16, 2, at::kFloat);
  const at::Tensor value = random_rows(76, 16, 3, at::kFloat);
  const at::Tensor all =
      local_attention_forward(query, key, value, together, settings).output_TE;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    const auto part = [&](const at::Tensor& x) {
      return x.narrow(0, begin, length);
    };
    const at::Tensor alone =
        local_attention_forward(part(query), part(key), part(value),
                                PackedLayout::with_prefix({length}, 1),
                                settings)
            .output_TE;
    EXPECT_LE(largest_difference(alone, part(all)), 1e-6);
    begin += length;
  }
}

}  // namespace
}  // namespace longformer::test
