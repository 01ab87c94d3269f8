// SPDX-License-Identifier: MIT
//
// The fused kernel, once per instruction set that this processor runs, against
// the dense reference in double precision.
#include "longformer/attention/fused_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "longformer/attention/dense_reference.h"

#include "random_attention.h"

namespace longformer::test {
namespace {

/// A prefix of global tokens on every document, as long as they are.
struct FusedShape {
  std::vector<std::int64_t> lengths;
  std::int64_t globals = 0;
  std::int64_t window = 1;
  std::int64_t heads = 1;
  std::int64_t head_size = 8;
};

std::ostream& operator<<(std::ostream& out, const FusedShape& shape) {
  out << "lengths";
  for (const std::int64_t length : shape.lengths) out << ' ' << length;
  return out << ", globals " << shape.globals << ", window " << shape.window
             << ", heads " << shape.heads << ", head size " << shape.head_size;
}

std::vector<InstructionSet> supported_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set :
       {InstructionSet::kPortable, InstructionSet::kAvx2,
        InstructionSet::kAvx512}) {
    if (is_supported(set)) sets.push_back(set);
  }
  return sets;
}

/// Everything that the two passes give.
struct Everything {
  at::Tensor output, log_normaliser, query, key, value;

  std::vector<std::pair<const char*, at::Tensor>> named() const {
    return {{"output", output},
            {"log normaliser", log_normaliser},
            {"query gradient", query},
            {"key gradient", key},
            {"value gradient", value}};
  }
};

class Case {
 public:
  explicit Case(const FusedShape& shape, double dropout = 0)
      : layout(make_layout(shape)),
        settings{shape.heads,
                 shape.window,
                 {dropout, {77, 88}, 9},
                 AttentionPath::kAuto} {
    const std::int64_t hidden = shape.heads * shape.head_size;
    query = random_rows(layout.num_tokens(), hidden, 1, at::kFloat);
    key = random_rows(layout.num_tokens(), hidden, 2, at::kFloat);
    value = random_rows(layout.num_tokens(), hidden, 3, at::kFloat);
    output_gradient = random_rows(layout.num_tokens(), hidden, 4, at::kFloat);
  }

  Everything fused(InstructionSet set = best_instruction_set()) const {
    LocalAttention forward =
        fused_attention_forward(query, key, value, layout, settings, set);
    Everything all{forward.output_TE.clone(), forward.log_normaliser_TH};
    // The caller may have put the global tokens' own attention there.
    forward.output_TE.index_fill_(0, layout.global_rows_N(), 1e30);
    LocalAttentionGradients gradients = fused_attention_backward(
        output_gradient, query, key, value, forward, layout, settings, set);
    all.query = gradients.query_TE;
    all.key = gradients.key_TE;
    all.value = gradients.value_TE;
    return all;
  }

  Everything dense() const {
    const auto wide = [](const at::Tensor& x) { return x.to(at::kDouble); };
    const auto gradients = dense_local_attention_backward(
        wide(output_gradient), wide(query), wide(key), wide(value), layout,
        settings);
    AttentionSettings blocked = settings;
    blocked.path = AttentionPath::kBlocked;
    return {dense_local_attention(wide(query), wide(key), wide(value), layout,
                                  settings),
            local_attention_forward(wide(query), wide(key), wide(value), layout,
                                    blocked)
                .log_normaliser_TH,
            gradients.query_TE, gradients.key_TE, gradients.value_TE};
  }

  PackedLayout layout;
  AttentionSettings settings;
  at::Tensor query, key, value, output_gradient;

 private:
  static PackedLayout make_layout(const FusedShape& shape) {
    BatchShape batch{"", shape.lengths, {}};
    for (const std::int64_t length : shape.lengths) {
      std::vector<std::int32_t> globals;
      for (std::int64_t g = 0; g < std::min(shape.globals, length); ++g) {
        globals.push_back(static_cast<std::int32_t>(g));
      }
      batch.globals.push_back(std::move(globals));
    }
    return test::make_layout(batch);
  }
};

/// Rounding, relative to the size of what is added up.
void expect_close(const Everything& actual, const Everything& expected) {
  const auto a = actual.named();
  const auto e = expected.named();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (e[i].second.numel() == 0) continue;
    const double size = std::max(1.0, e[i].second.abs().max().item<double>());
    EXPECT_LE(largest_difference(a[i].second, e[i].second), 4e-6 * size)
        << a[i].first;
  }
}

void expect_equal(const Everything& actual, const Everything& expected) {
  const auto a = actual.named();
  const auto e = expected.named();
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(at::equal(a[i].second, e[i].second)) << a[i].first;
  }
}

void expect_dense_reference(const FusedShape& shape) {
  SCOPED_TRACE(testing::PrintToString(shape));
  for (const double dropout : {0.0, 0.3}) {
    SCOPED_TRACE(dropout);
    const Case batch(shape, dropout);
    const Everything expected = batch.dense();
    for (const InstructionSet set : supported_sets()) {
      SCOPED_TRACE(instruction_set_name(set));
      expect_close(batch.fused(set), expected);
    }
  }
}

TEST(FusedAttentionTest, EqualsTheReferenceAroundTheEdgesOfTiles) {
  for (const std::int64_t length : {1, 2, 63, 64, 65, 127, 128, 129, 330}) {
    expect_dense_reference({{length}, 1, 32, 2, 16});
    expect_dense_reference({{length}, 0, 32, 1, 16});
  }
}

TEST(FusedAttentionTest, EqualsTheReferenceForAnyWindow) {
  for (const std::int64_t window :
       {1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 100, 129, 255, 700}) {
    expect_dense_reference({{400}, 1, window, 1, 16});
  }
}

TEST(FusedAttentionTest, EqualsTheReferenceForAnyHeadSize) {
  for (const std::int64_t head_size :
       {1, 4, 5, 8, 12, 16, 20, 32, 36, 48, 64, 80, 96, 112, 128, 200}) {
    expect_dense_reference({{150}, 1, 20, 2, head_size});
  }
}

TEST(FusedAttentionTest, EqualsTheReferenceForAnyNumberOfGlobalTokens) {
  for (const std::int64_t globals : {0, 1, 3, 7, 63, 64, 65, 70, 130, 200}) {
    expect_dense_reference({{200}, globals, 24, 1, 16});
  }
}

// Pieces of 256 queries and one window contribute to each other's keys.
TEST(FusedAttentionTest, EqualsTheReferenceAcrossPiecesOfTheBackwardPass) {
  expect_dense_reference({{256 * 3 + 10}, 1, 40, 2, 16});
  expect_dense_reference({{256 * 3 + 10}, 70, 256, 1, 16});
  expect_dense_reference({{256 * 4 - 10}, 300, 100, 1, 8});
  expect_dense_reference({{900}, 2, 300, 1, 8});
}

TEST(FusedAttentionTest, EqualsTheReferenceForPackedDocuments) {
  expect_dense_reference({{5, 1, 64, 300, 2, 129}, 3, 30, 3, 20});
  expect_dense_reference({{1, 1, 1}, 1, 30, 3, 20});
}

TEST(FusedAttentionTest, EqualsTheReferenceOnRandomShapes) {
  RandomStream random({2024, 5}, 0);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.next_below(
                     static_cast<std::uint64_t>(high - low + 1)));
  };
  for (int i = 0; i < 2000; ++i) {
    // Mostly short; one in fifty reaches across several tiles.
    const std::int64_t longest = i % 50 == 0 ? 350 : draw(1, draw(1, 150));
    FusedShape shape;
    for (std::int64_t d = draw(1, 4); d > 0; --d) {
      shape.lengths.push_back(draw(1, longest));
    }
    shape.globals = draw(0, 1) * draw(0, draw(1, 80));
    shape.window = draw(1, draw(1, 400));
    shape.heads = draw(1, 3);
    shape.head_size = draw(1, draw(1, 70));
    expect_dense_reference(shape);
  }
}

class ThreadsGuard {
 public:
  ~ThreadsGuard() { at::set_num_threads(before_); }

 private:
  int before_ = at::get_num_threads();
};

TEST(FusedAttentionTest, IsTheSameBitForBitOnAnyNumberOfThreads) {
  const ThreadsGuard guard;
  for (const FusedShape& shape :
       {FusedShape{{2300}, 1, 100, 3, 64}, FusedShape{{1800}, 70, 256, 2, 64},
        FusedShape{{700, 1300, 90, 65, 900}, 3, 200, 2, 32},
        FusedShape{{1500}, 0, 400, 2, 64}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const Case batch(shape, 0.1);
    at::set_num_threads(1);
    const Everything expected = batch.fused();
    // With many threads, runs consist of one piece each.
    for (const int threads : {2, 3, 5, 40}) {
      SCOPED_TRACE(threads);
      at::set_num_threads(threads);
      expect_equal(batch.fused(), expected);
    }
  }
}

TEST(FusedAttentionTest, ADocumentIsTheSameBitForBitInAnyCompany) {
  const FusedShape shape{{500, 340, 90}, 2, 40, 2, 32};
  const Case together(shape, 0.1);
  const Everything all = together.fused();
  const std::int64_t begin = together.layout.begin(1);
  Case alone({{340}, 2, 40, 2, 32}, 0.1);
  // Dropout goes by the document's index in the global batch.
  alone.layout = PackedLayout(
      {0, 340}, {0, 1}, {0, 2},
      {static_cast<std::int32_t>(together.layout.document_index(1))}, at::kCPU);
  for (const auto part :
       {&Case::query, &Case::key, &Case::value, &Case::output_gradient}) {
    alone.*part = (together.*part).narrow(0, begin, 340).clone();
  }
  const Everything one = alone.fused();
  for (std::size_t i = 0; i < all.named().size(); ++i) {
    EXPECT_TRUE(at::equal(all.named()[i].second.narrow(0, begin, 340),
                          one.named()[i].second))
        << all.named()[i].first;
  }
}

TEST(FusedAttentionTest, ReadsSlicesOfWiderTensors) {
  const FusedShape shape{{130, 70}, 1, 20, 2, 24};
  const Case expected(shape);
  Case sliced(shape);
  const at::Tensor joint = at::cat(
      {sliced.query, sliced.key, sliced.value, sliced.output_gradient}, 1);
  const std::int64_t hidden = sliced.query.size(1);
  sliced.query = joint.narrow(1, 0, hidden);
  sliced.key = joint.narrow(1, hidden, hidden);
  sliced.value = joint.narrow(1, 2 * hidden, hidden);
  sliced.output_gradient = joint.narrow(1, 3 * hidden, hidden);
  expect_equal(sliced.fused(), expected.fused());
  // Columns that are not adjacent are served too.
  sliced.query = sliced.query.t().contiguous().t();
  expect_equal(sliced.fused(), expected.fused());
}

TEST(FusedAttentionTest, GlobalRowsAreZeroAndTheirGradientIsIgnored) {
  Case batch({{40, 3, 90}, 3, 10, 2, 16});
  const Everything expected = batch.fused();
  const at::Tensor rows = batch.layout.global_rows_N();
  for (const at::Tensor& zero :
       {expected.output, expected.log_normaliser, expected.query}) {
    EXPECT_EQ(zero.index_select(0, rows).abs().max().item<float>(), 0);
  }
  batch.output_gradient.index_fill_(0, rows,
                                    std::numeric_limits<double>::quiet_NaN());
  batch.query.index_fill_(0, rows, std::numeric_limits<double>::quiet_NaN());
  expect_equal(batch.fused(), expected);
}

TEST(FusedAttentionTest, HugeAndTinyScoresStayExact) {
  for (const InstructionSet set : supported_sets()) {
    SCOPED_TRACE(instruction_set_name(set));
    for (const double factor : {1e-20, 30.0, 1e4, 1e15}) {
      SCOPED_TRACE(factor);
      Case batch({{150}, 1, 20, 1, 16});
      batch.query = batch.query * factor;
      const Everything actual = batch.fused(set);
      const Everything expected = batch.dense();
      EXPECT_TRUE(actual.output.isfinite().all().item<bool>());
      // Scores are rounded relative to their size, and so probabilities.
      const double tolerance = factor < 1e3 ? 1e-4 : 2.0 * 8;
      EXPECT_LE(largest_difference(actual.output, expected.output), tolerance);
    }
  }
}

// A defect upstream must show in the loss, not vanish in an exponential.
TEST(FusedAttentionTest, NotANumberReachesTheQueriesThatSeeIt) {
  for (const InstructionSet set : supported_sets()) {
    SCOPED_TRACE(instruction_set_name(set));
    Case batch({{300}, 0, 20, 1, 16});
    batch.key[150] = std::numeric_limits<double>::quiet_NaN();
    const Everything all = batch.fused(set);
    for (std::int64_t i = 0; i < 300; ++i) {
      const bool sees = std::abs(i - 150) <= 20;
      EXPECT_EQ(all.output[i].isnan().any().item<bool>(), sees) << i;
      if (sees) {
        EXPECT_TRUE(all.query[i].isnan().any().item<bool>()) << i;
      }
    }
  }
}

/// Root of the mean square, which unlike a maximum varies little.
double error(const at::Tensor& actual, const at::Tensor& expected) {
  return (actual.to(at::kDouble) - expected)
      .square()
      .mean()
      .sqrt()
      .item<double>();
}

TEST(FusedAttentionTest, IsNoLessPreciseThanTheBlockedPath) {
  const Case batch({{700}, 1, 128, 2, 64});
  const Everything expected = batch.dense();
  AttentionSettings settings = batch.settings;
  settings.path = AttentionPath::kBlocked;
  const LocalAttention forward = local_attention_forward(
      batch.query, batch.key, batch.value, batch.layout, settings);
  const auto gradients =
      local_attention_backward(batch.output_gradient, batch.query, batch.key,
                               batch.value, forward, batch.layout, settings);
  for (const InstructionSet set : supported_sets()) {
    SCOPED_TRACE(instruction_set_name(set));
    const Everything fused = batch.fused(set);
    const auto compare = [&](const char* name, at::Tensor Everything::*member,
                             const at::Tensor& blocked) {
      EXPECT_LE(error(fused.*member, expected.*member),
                1.05 * error(blocked, expected.*member))
          << name;
    };
    compare("output", &Everything::output, forward.output_TE);
    compare("query gradient", &Everything::query, gradients.query_TE);
    compare("key gradient", &Everything::key, gradients.key_TE);
    compare("value gradient", &Everything::value, gradients.value_TE);
  }
}

TEST(FusedAttentionTest, ServesOnlyWhatItCanCompute) {
  const AttentionSettings settings{1, 8, {}, AttentionPath::kAuto};
  const PackedLayout prefix = PackedLayout::with_prefix({20}, 2);
  const PackedLayout scattered({0, 20}, {4}, {0, 1}, {0}, at::kCPU);
  const at::Tensor fp32 = random_rows(20, 8, 1, at::kFloat);
  EXPECT_TRUE(fused_attention_serves(fp32, prefix, settings));
  EXPECT_FALSE(fused_attention_serves(fp32, scattered, settings));
  EXPECT_FALSE(fused_attention_serves(fp32.to(at::kDouble), prefix, settings));
}

TEST(FusedAttentionTest, IsWhatLocalAttentionTakesByItself) {
  const Case batch({{90, 200}, 1, 30, 2, 16}, 0.2);
  const Everything fused = batch.fused();
  const LocalAttention forward = local_attention_forward(
      batch.query, batch.key, batch.value, batch.layout, batch.settings);
  const auto gradients = local_attention_backward(
      batch.output_gradient, batch.query, batch.key, batch.value, forward,
      batch.layout, batch.settings);
  expect_equal({forward.output_TE, forward.log_normaliser_TH,
                gradients.query_TE, gradients.key_TE, gradients.value_TE},
               fused);
}

}  // namespace
}  // namespace longformer::test
