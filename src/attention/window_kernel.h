// SPDX-License-Identifier: MIT
//
// What the fused attention kernel needs and offers, without tensors. The
// kernel is compiled once per instruction set; this header is all that those
// files share with the rest of the program, so it holds no code.
#pragma once

#include <cstdint>

namespace longformer {

/// Queries that are computed together. Tiles start at multiples of it.
constexpr std::int64_t kTileQueries = 64;

/// Rows of [tokens, head size] that belong to one head of one document. The
/// channels of a token are adjacent.
struct HeadRows {
  const float* first = nullptr;  ///< Token 0 of the document.
  std::int64_t stride = 0;       ///< Elements from one token to the next.
};

struct MutableHeadRows {
  float* first = nullptr;
  std::int64_t stride = 0;
};

/// Dropout of one head's probabilities; see dropout.h for the meaning.
struct HeadDropout {
  std::uint32_t threshold = 0;  ///< Below 65536; 0 switches dropout off.
  float scale = 1;
  std::uint32_t place = 0;     ///< Layer, site and head, third of a counter.
  std::uint32_t document = 0;  ///< Fourth of a counter.
  std::uint32_t round_keys[10][2] = {};  ///< Philox keys of all rounds.
};

/// Attention of one head over one document: local token i sees tokens
/// [0, globals) and the local tokens j with |i - j| <= window.
struct WindowHead {
  HeadRows query, key, value;
  std::int64_t length = 0;
  std::int64_t globals = 0;
  std::int64_t window = 0;  ///< At most 2^23, so that floats hold distances.
  std::int64_t head_size = 0;
  float scale = 1;  ///< Of the scores.
  HeadDropout dropout;
};

struct WindowForwardResult {
  MutableHeadRows output;
  MutableHeadRows log_normaliser;  ///< One element per token.
};

struct WindowBackwardInputs {
  HeadRows output_gradient;
  HeadRows output;
  HeadRows log_normaliser;
  MutableHeadRows query_gradient;  ///< Written for local tokens.
};

/// Sums of gradients of one head's keys and values: rows of `padded_head_size`
/// floats, added to.
struct KeyGradientSums {
  float* window_key = nullptr;    ///< First row: token first_window_token.
  float* window_value = nullptr;  ///< The same tokens.
  std::int64_t first_window_token = 0;
  float* column_key = nullptr;  ///< First row: token 0; globals rows.
  float* column_value = nullptr;
};

/// Keys and values kept packed from one call of the backward kernel to the
/// next: tokens [begin, end) of the head that was computed last.
struct PackedTokens {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool columns_packed = false;
};

/// The kernel for one instruction set. Scratch memory is counted in floats,
/// aligned to 64 bytes, and holds nothing of value before a call.
struct WindowKernel {
  /// Floats in a row of scratch memory that holds one head's channels.
  std::int64_t (*padded_head_size)(std::int64_t head_size);

  /// The largest scratch that documents up to `length` tokens need.
  std::int64_t (*forward_scratch)(std::int64_t length, std::int64_t window,
                                  std::int64_t head_size);
  /// Queries of tiles [first_tile, end_tile).
  void (*forward)(const WindowHead& head, const WindowForwardResult& result,
                  std::int64_t first_tile, std::int64_t end_tile,
                  float* scratch);

  std::int64_t (*backward_scratch)(std::int64_t length, std::int64_t window,
                                   std::int64_t head_size);
  /// Gradients of the queries of tiles [first_tile, end_tile) and their
  /// contributions to keys and values. `packed` starts empty for each head;
  /// the scratch must be kept with it while tiles ascend.
  void (*backward)(const WindowHead& head, const WindowBackwardInputs& inputs,
                   std::int64_t first_tile, std::int64_t end_tile,
                   const KeyGradientSums& sums, PackedTokens& packed,
                   float* scratch);

  /// Writes, or adds, `count` padded rows to the rows of tokens.
  void (*store_rows)(const float* rows, std::int64_t count,
                     std::int64_t head_size, MutableHeadRows tokens);
  void (*add_rows)(const float* rows, std::int64_t count,
                   std::int64_t head_size, MutableHeadRows tokens);
  /// sums[i] += terms[i] for whole padded rows.
  void (*add_packed)(float* sums, const float* terms, std::int64_t floats);
};

extern const WindowKernel kPortableWindowKernel;
extern const WindowKernel kAvx2WindowKernel;    ///< Only built for x86-64.
extern const WindowKernel kAvx512WindowKernel;  ///< Only built for x86-64.

}  // namespace longformer
