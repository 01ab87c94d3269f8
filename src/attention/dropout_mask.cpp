// SPDX-License-Identifier: MIT
#include "longformer/attention/dropout_mask.h"

#include <algorithm>
#include <vector>

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

constexpr int kGroupsAtATime = 64;
constexpr int kLanes = 8;

/// Random bits of `groups` consecutive blocks of one token: bits[8 * i + lane].
/// Compiled for several instruction sets; integer arithmetic, so all agree.
__attribute__((target_clones("avx512f", "avx2", "default"))) void draw_bits(
    PhiloxKey key, PhiloxBlock counter, int groups, std::uint16_t* bits) {
  std::uint32_t words[4][kGroupsAtATime];
  for (int i = 0; i < groups; ++i) {
    std::uint32_t c0 = counter[0];
    std::uint32_t c1 = counter[1] + static_cast<std::uint32_t>(i);
    std::uint32_t c2 = counter[2];
    std::uint32_t c3 = counter[3];
    std::uint32_t k0 = key.low;
    std::uint32_t k1 = key.high;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = 0xD2511F53ULL * c0;
      const std::uint64_t p1 = 0xCD9E8D57ULL * c2;
      c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    words[0][i] = c0;
    words[1][i] = c1;
    words[2][i] = c2;
    words[3][i] = c3;
  }
  for (int i = 0; i < groups; ++i) {
    for (int w = 0; w < 4; ++w) {
      bits[kLanes * i + w] = static_cast<std::uint16_t>(words[w][i]);
      bits[kLanes * i + 4 + w] = static_cast<std::uint16_t>(words[w][i] >> 16);
    }
  }
}

template <class Scalar>
void scale_row(Scalar* row, std::int64_t channels, const Dropout& dropout,
               PhiloxBlock counter) {
  const std::uint32_t threshold = dropout.threshold();
  const auto scale = static_cast<Scalar>(dropout.scale());
  std::uint16_t bits[kGroupsAtATime * kLanes];
  constexpr std::int64_t kChannelsAtATime = kGroupsAtATime * kLanes;
  for (std::int64_t c = 0; c < channels; c += kChannelsAtATime) {
    const std::int64_t count = std::min(channels - c, kChannelsAtATime);
    counter[1] = static_cast<std::uint32_t>(c / kLanes);
    draw_bits(dropout.key, counter,
              static_cast<int>((count + kLanes - 1) / kLanes), bits);
    for (std::int64_t i = 0; i < count; ++i) {
      row[c + i] *= bits[i] >= threshold ? scale : Scalar(0);
    }
  }
}

template <class Scalar>
void scale_rows(Scalar* values, std::int64_t channels,
                const PackedLayout& layout, const Dropout& dropout,
                DropoutSite site) {
  // The layout may be that of a batch on a GPU.
  const at::Tensor documents = layout.document_of_token_T().cpu();
  const auto* document_of_token = documents.const_data_ptr<std::int64_t>();
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / channels);
  at::parallel_for(
      0, layout.num_tokens(), grain,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
          const std::int64_t b = document_of_token[t];
          scale_row(values + t * channels, channels, dropout,
                    dropout_counter(
                        dropout.layer, site, 0, layout.document_index(b),
                        static_cast<std::uint32_t>(t - layout.begin(b)), 0));
        }
      });
}

/// Factors of one query and head for keys in ascending runs.
template <class Scalar>
void fill_factors(Scalar* out, const Dropout& dropout, PhiloxBlock counter,
                  std::span<const std::int32_t> keys) {
  const std::uint32_t threshold = dropout.threshold();
  const auto scale = static_cast<Scalar>(dropout.scale());
  PhiloxBlock block{};
  bool drawn = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto key = static_cast<std::uint32_t>(keys[i]);
    if (!drawn || counter[1] != key / kLanes) {
      counter[1] = key / kLanes;
      block = philox(dropout.key, counter);
      drawn = true;
    }
    out[i] = dropout_bits(block, key % kLanes) >= threshold ? scale : Scalar(0);
  }
}

}  // namespace

void apply_hidden_dropout(at::Tensor& values_TE, const PackedLayout& layout,
                          const Dropout& dropout, DropoutSite site) {
  if (!dropout.active()) return;
  if (values_TE.dim() != 2 || values_TE.size(0) != layout.num_tokens()) {
    throw ShapeError("apply_hidden_dropout: values must be [T, E]");
  }
  if (!values_TE.device().is_cpu()) {
    at::Tensor mask =
        at::ones(values_TE.sizes(), values_TE.options().device(at::kCPU));
    AT_DISPATCH_FLOATING_TYPES(mask.scalar_type(), "hidden_dropout_mask", [&] {
      scale_rows(mask.data_ptr<scalar_t>(), mask.size(1), layout, dropout,
                 site);
    });
    values_TE.mul_(mask.to(values_TE.device()));
    return;
  }
  TORCH_INTERNAL_ASSERT(values_TE.is_contiguous());
  AT_DISPATCH_FLOATING_TYPES(values_TE.scalar_type(), "hidden_dropout", [&] {
    scale_rows(values_TE.data_ptr<scalar_t>(), values_TE.size(1), layout,
               dropout, site);
  });
}

at::Tensor attention_dropout_mask_HQK(const Dropout& dropout, DropoutSite site,
                                      std::int64_t num_heads,
                                      std::uint32_t document,
                                      std::span<const std::int32_t> queries,
                                      std::span<const std::int32_t> keys,
                                      const at::Tensor& like) {
  const auto num_queries = static_cast<std::int64_t>(queries.size());
  const auto num_keys = static_cast<std::int64_t>(keys.size());
  at::Tensor mask = at::empty({num_heads, num_queries, num_keys},
                              like.options().device(at::kCPU));
  AT_DISPATCH_FLOATING_TYPES(mask.scalar_type(), "attention_mask", [&] {
    scalar_t* out = mask.data_ptr<scalar_t>();
    const std::int64_t grain =
        std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(num_keys, 1));
    at::parallel_for(
        0, num_heads * num_queries, grain,
        [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t row = first; row < last; ++row) {
            const auto query = static_cast<std::uint32_t>(
                queries[static_cast<std::size_t>(row % num_queries)]);
            fill_factors(
                out + row * num_keys, dropout,
                dropout_counter(dropout.layer, site,
                                static_cast<std::uint32_t>(row / num_queries),
                                document, query, 0),
                keys);
          }
        });
  });
  return like.device().is_cpu() ? mask : mask.to(like.device());
}

}  // namespace longformer
