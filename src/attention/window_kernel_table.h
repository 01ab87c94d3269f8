// SPDX-License-Identifier: MIT
//
// Fills a WindowKernel from the templates. Internal linkage; see
// vector_avx512.h.
#pragma once

#include "window_backward.h"
#include "window_forward.h"

namespace longformer {
namespace {

template <class V>
struct KernelFunctions {
  static WindowHead shape(std::int64_t length, std::int64_t window,
                          std::int64_t head_size) {
    WindowHead head;
    head.length = length;
    head.window = window;
    head.head_size = head_size;
    return head;
  }

  static std::int64_t forward_scratch(std::int64_t length, std::int64_t window,
                                      std::int64_t head_size) {
    return ForwardTiles<V>(shape(length, window, head_size), {},
                           Scratch(nullptr))
        .scratch_floats();
  }

  static void forward(const WindowHead& head, const WindowForwardResult& result,
                      std::int64_t first_tile, std::int64_t end_tile,
                      float* scratch) {
    ForwardTiles<V> tiles(head, result, Scratch(scratch));
    for (std::int64_t t = first_tile; t < end_tile; ++t) tiles.compute(t);
  }

  static std::int64_t backward_scratch(std::int64_t length, std::int64_t window,
                                       std::int64_t head_size) {
    PackedTokens packed;
    return BackwardTiles<V>(shape(length, window, head_size), {}, {}, packed,
                            Scratch(nullptr))
        .scratch_floats();
  }

  static void backward(const WindowHead& head,
                       const WindowBackwardInputs& inputs,
                       std::int64_t first_tile, std::int64_t end_tile,
                       const KeyGradientSums& sums, PackedTokens& packed,
                       float* scratch) {
    BackwardTiles<V> tiles(head, inputs, sums, packed, Scratch(scratch));
    for (std::int64_t t = first_tile; t < end_tile; ++t) tiles.compute(t);
  }

  static void store_rows(const float* rows, std::int64_t count,
                         std::int64_t head_size, MutableHeadRows tokens) {
    unpack_rows<V, false>(rows, count, head_size, 1.0F, tokens);
  }
  static void add_rows(const float* rows, std::int64_t count,
                       std::int64_t head_size, MutableHeadRows tokens) {
    unpack_rows<V, true>(rows, count, head_size, 1.0F, tokens);
  }

  static void add_packed(float* sums, const float* terms, std::int64_t floats) {
    for (std::int64_t i = 0; i < floats; i += V::kWidth) {
      V::store(sums + i, V::add(V::load(sums + i), V::load(terms + i)));
    }
  }

  static constexpr WindowKernel table() {
    return {padded_head_size<V>,
            forward_scratch,
            forward,
            backward_scratch,
            backward,
            store_rows,
            add_rows,
            add_packed};
  }
};

}  // namespace
}  // namespace longformer
