// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/attention/attention.h"

#include "fused_inputs.h"
#include "query_pieces.h"
#include "window_kernel.h"

namespace longformer {

/// What the backward pass gets besides query, key and value.
struct FusedBackwardTensors {
  at::Tensor output_gradient_TE;
  at::Tensor output_TE;
  at::Tensor log_normaliser_TH;
};

/// The backward pass of fused attention on all threads.
///
/// Queries of neighbouring pieces contribute to the same keys, at most one
/// window (which is at most a piece) beyond their own. So that the sums do not
/// depend on which thread computes which piece, the gradient of the keys of
/// piece p is always
///
///   (right part of piece p - 1  +  own part of p)  +  left part of p + 1
///
/// with every part summed up by itself. A thread computes a run of consecutive
/// pieces and adds the parts as they come; what belongs to pieces of other
/// runs it keeps, and a second round adds that. The gradients of the global
/// columns, to which all pieces contribute, are kept per piece and added in
/// order.
class FusedBackward {
 public:
  /// Writes all rows of `gradients`, but for global rows of the query's. Keeps
  /// references until compute() is done.
  FusedBackward(const WindowKernel& kernel, const FusedInputs& inputs,
                const PackedLayout& layout, FusedBackwardTensors tensors,
                LocalAttentionGradients& gradients);

  void compute();

 private:
  /// Rows of keys and of values that belong together, padded.
  struct Rows {
    float* key = nullptr;
    float* value = nullptr;
  };
  /// The tokens whose keys a piece contributes to: [left, own) lies in the
  /// piece before, [own, right) is its own, [right, end) in the piece behind.
  struct Reach {
    std::int64_t left, own, right, end;
  };
  /// Memory of one run.
  struct Run {
    std::int64_t first_piece, end_piece;
    /// Sums of the last two pieces, by piece index modulo 2.
    Rows sums[2];
    Rows first_left;   ///< Left part of the first piece.
    Rows second_left;  ///< Left part of the second piece.
    float* kernel_scratch;
  };

  static std::int64_t tiles_per_piece(const FusedInputs& inputs,
                                      const PackedLayout& layout,
                                      std::int64_t document);
  Reach reach(const QueryPiece& piece) const;
  std::int64_t sum_rows() const;
  std::int64_t run_floats() const;
  Run make_run(std::size_t index, float* memory) const;
  void offset_columns();
  Rows columns(const QueryPiece& piece) const;

  void compute_run(const Run& run) const;
  void compute_piece(const Run& run, std::int64_t number,
                     PackedTokens& packed) const;
  void combine(const Run& run, std::int64_t number) const;
  void finish_run(std::size_t index) const;
  void finish_piece(std::size_t run_index, std::int64_t number) const;
  void finish_columns(std::int64_t document, std::int64_t head) const;

  /// Row `token` of a piece's sums.
  Rows sums_at(const Run& run, const QueryPiece& piece,
               std::int64_t token) const;
  void add_packed(const Rows& sums, const Rows& terms, std::int64_t rows) const;
  void copy_packed(const Rows& to, const Rows& from, std::int64_t rows) const;
  void store(const QueryPiece& piece, std::int64_t token, const Rows& rows,
             std::int64_t count) const;
  void add(const QueryPiece& piece, std::int64_t token, const Rows& rows,
           std::int64_t count) const;

  const WindowKernel& kernel_;
  const FusedInputs& inputs_;
  const PackedLayout& layout_;
  FusedBackwardTensors tensors_;
  LocalAttentionGradients& gradients_;
  QueryPieces pieces_;
  std::int64_t padded_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> column_offsets_;  ///< [B + 1], in floats.
  at::Tensor run_memory_;
  at::Tensor column_memory_;
};

}  // namespace longformer
