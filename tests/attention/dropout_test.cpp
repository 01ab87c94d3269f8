// SPDX-License-Identifier: MIT
#include "longformer/attention/dropout.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "longformer/attention/dropout_mask.h"

#include "random_attention.h"

namespace longformer::test {
namespace {

// Random123's known answers for philox4x32-10.
TEST(PhiloxTest, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0},
                   {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

at::Tensor hidden_mask(const PackedLayout& layout, std::int64_t channels,
                       const Dropout& dropout) {
  at::Tensor mask =
      at::ones({layout.num_tokens(), channels}, at::TensorOptions(at::kDouble));
  apply_hidden_dropout(mask, layout, dropout, DropoutSite::kAttentionOutput);
  return mask;
}

TEST(HiddenDropoutTest, EqualsItsDefinitionValueByValue) {
  const Dropout dropout{0.25, {7, 9}, 3};
  const PackedLayout layout({0, 3, 8}, {}, {0, 0, 0}, {4, 2}, at::kCPU);
  const at::Tensor mask = hidden_mask(layout, 531, dropout);
  for (std::int64_t t = 0; t < 8; ++t) {
    const std::uint32_t document = t < 3 ? 4 : 2;
    const auto token = static_cast<std::uint32_t>(t < 3 ? t : t - 3);
    for (std::int64_t c = 0; c < 531; ++c) {
      const auto counter =
          dropout_counter(3, DropoutSite::kAttentionOutput, 0, document, token,
                          static_cast<std::uint32_t>(c / 8));
      const bool kept =
          dropout_keeps(dropout.key, counter, static_cast<unsigned>(c % 8),
                        dropout.threshold());
      ASSERT_EQ(mask[t][c].item<double>(), kept ? dropout.scale() : 0.0);
    }
  }
}

TEST(HiddenDropoutTest, DoesNotDependOnPacking) {
  const Dropout dropout{0.1, {1, 2}, 0};
  const PackedLayout both({0, 5, 12}, {}, {0, 0, 0}, {0, 1}, at::kCPU);
  const PackedLayout second({0, 7}, {}, {0, 0}, {1}, at::kCPU);
  EXPECT_TRUE(at::equal(hidden_mask(both, 40, dropout).narrow(0, 5, 7),
                        hidden_mask(second, 40, dropout)));
}

TEST(HiddenDropoutTest, KeepsTheRightShareWithTheRightScale) {
  const PackedLayout layout = PackedLayout::with_prefix({2000}, 0);
  for (const double probability : {0.1, 0.5, 0.9}) {
    const Dropout dropout{probability, {3, 4}, 1};
    const at::Tensor mask = hidden_mask(layout, 512, dropout);
    const double kept = mask.ne(0).to(at::kDouble).mean().item<double>();
    // A million draws: five standard deviations.
    EXPECT_NEAR(kept, 1 - probability,
                5 * std::sqrt(probability * (1 - probability) / 1.024e6));
    EXPECT_NEAR(mask.mean().item<double>(), 1.0, 0.01);
  }
}

TEST(HiddenDropoutTest, ChangesWithStepLayerSiteAndDocument) {
  const PackedLayout layout({0, 9}, {}, {0, 0}, {0}, at::kCPU);
  const PackedLayout other({0, 9}, {}, {0, 0}, {1}, at::kCPU);
  const Dropout dropout{0.5, random_key(1, RandomPurpose::kDropout, 0), 0};
  Dropout next_step = dropout;
  next_step.key = random_key(1, RandomPurpose::kDropout, 1);
  Dropout next_layer = dropout;
  next_layer.layer = 1;
  const at::Tensor mask = hidden_mask(layout, 64, dropout);
  EXPECT_FALSE(at::equal(mask, hidden_mask(layout, 64, next_step)));
  EXPECT_FALSE(at::equal(mask, hidden_mask(layout, 64, next_layer)));
  EXPECT_FALSE(at::equal(mask, hidden_mask(other, 64, dropout)));
}

TEST(AttentionDropoutTest, EqualsItsDefinitionForAnyKeys) {
  const Dropout dropout{0.4, {5, 6}, 2};
  const std::vector<std::int32_t> queries{3, 17};
  const std::vector<std::int32_t> keys{0, 1, 9, 10, 11, 12, 13, 14, 15, 16, 30};
  const at::Tensor mask = attention_dropout_mask_HQK(
      dropout, DropoutSite::kLocalAttention, 2, 8, queries, keys,
      at::empty({0}, at::TensorOptions(at::kDouble)));
  for (std::uint32_t h = 0; h < 2; ++h) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const auto key = static_cast<std::uint32_t>(keys[k]);
        const auto counter =
            dropout_counter(2, DropoutSite::kLocalAttention, h, 8,
                            static_cast<std::uint32_t>(queries[q]), key / 8);
        const bool kept =
            dropout_keeps(dropout.key, counter, key % 8, dropout.threshold());
        ASSERT_EQ(
            mask[h][static_cast<std::int64_t>(q)][static_cast<std::int64_t>(k)]
                .item<double>(),
            kept ? dropout.scale() : 0.0);
      }
    }
  }
}

}  // namespace
}  // namespace longformer::test
