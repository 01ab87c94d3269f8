// SPDX-License-Identifier: MIT
#include "fused_backward.h"

#include <algorithm>
#include <utility>

#include <ATen/Functions.h>

namespace longformer {
namespace {

/// Short enough that one long document has work for many threads, long enough
/// that adding up the parts of pieces costs a few percent at most.
constexpr std::int64_t kPieceQueries = 256;

std::int64_t round_to_line(std::int64_t floats) {
  return (floats + 15) / 16 * 16;
}

}  // namespace

FusedBackward::FusedBackward(const WindowKernel& kernel,
                             const FusedInputs& inputs,
                             const PackedLayout& layout,
                             FusedBackwardTensors tensors,
                             LocalAttentionGradients& gradients)
    : kernel_(kernel),
      inputs_(inputs),
      layout_(layout),
      tensors_(std::move(tensors)),
      gradients_(gradients),
      pieces_(layout, inputs.num_heads(),
              [&](std::int64_t document) {
                return tiles_per_piece(inputs, layout, document);
              }),
      padded_(kernel.padded_head_size(inputs.head_size())) {
  const auto& options = gradients.key_TE.options();
  const std::vector<std::int64_t> cuts =
      pieces_.split(inputs.num_runs(pieces_.count()));
  run_memory_ = at::empty(
      {static_cast<std::int64_t>(cuts.size()) - 1, run_floats()}, options);
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
    Run run = make_run(r, run_memory_.data_ptr<float>());
    run.first_piece = cuts[r];
    run.end_piece = cuts[r + 1];
    runs_.push_back(run);
  }
  offset_columns();
  column_memory_ = at::empty({column_offsets_.back()}, options);
}

/// A piece is at least a window long, so that its queries see keys of its
/// neighbours but of no other piece, and at least as long as there are
/// columns, which bounds the memory for their sums.
std::int64_t FusedBackward::tiles_per_piece(const FusedInputs& inputs,
                                            const PackedLayout& layout,
                                            std::int64_t document) {
  const std::int64_t queries = std::max(
      {kPieceQueries, std::min(inputs.window(), layout.length(document)),
       layout.globals(document).count()});
  return (queries + kTileQueries - 1) / kTileQueries;
}

FusedBackward::Reach FusedBackward::reach(const QueryPiece& piece) const {
  const std::int64_t length = layout_.length(piece.document);
  const std::int64_t globals = layout_.globals(piece.document).count();
  Reach reach{};
  reach.own = std::max(globals, piece.first_tile * kTileQueries);
  reach.right = std::min(length, piece.end_tile * kTileQueries);
  reach.left = std::max(globals, reach.own - inputs_.window());
  reach.end = std::min(length, reach.right + inputs_.window());
  return reach;
}

/// Rows for the sums of a piece.
std::int64_t FusedBackward::sum_rows() const {
  std::int64_t most = 0;
  for (std::int64_t b = 0; b < layout_.num_documents(); ++b) {
    const std::int64_t queries =
        tiles_per_piece(inputs_, layout_, b) * kTileQueries;
    most = std::max(
        most, std::min(layout_.length(b), queries + 2 * inputs_.window()));
  }
  return most;
}

std::int64_t FusedBackward::run_floats() const {
  const std::int64_t scratch = kernel_.backward_scratch(
      inputs_.longest_document(), inputs_.window(), inputs_.head_size());
  return round_to_line(scratch) + 4 * round_to_line(sum_rows() * padded_) +
         4 * round_to_line(inputs_.window() * padded_);
}

FusedBackward::Run FusedBackward::make_run(std::size_t index,
                                           float* memory) const {
  float* next = memory + static_cast<std::int64_t>(index) * run_floats();
  const auto take = [&](std::int64_t rows) {
    return std::exchange(next, next + round_to_line(rows * padded_));
  };
  Run run{};
  for (Rows& sums : run.sums) {
    sums.key = take(sum_rows());
    sums.value = take(sum_rows());
  }
  for (Rows* const left : {&run.first_left, &run.second_left}) {
    left->key = take(inputs_.window());
    left->value = take(inputs_.window());
  }
  run.kernel_scratch = next;
  return run;
}

void FusedBackward::offset_columns() {
  column_offsets_.push_back(0);
  for (std::int64_t b = 0; b < layout_.num_documents(); ++b) {
    column_offsets_.push_back(column_offsets_.back() +
                              inputs_.num_heads() * pieces_.pieces_per_head(b) *
                                  layout_.globals(b).count() * 2 * padded_);
  }
}

/// The memory for a piece's sums over the global columns.
FusedBackward::Rows FusedBackward::columns(const QueryPiece& piece) const {
  const std::int64_t d = piece.document;
  const std::int64_t floats = layout_.globals(d).count() * padded_;
  const std::int64_t within = piece.head * pieces_.pieces_per_head(d) +
                              piece.index -
                              pieces_[pieces_.first_number(d, 0)].index;
  float* const key = column_memory_.data_ptr<float>() +
                     column_offsets_[static_cast<std::size_t>(d)] +
                     within * 2 * floats;
  return {key, key + floats};
}

FusedBackward::Rows FusedBackward::sums_at(const Run& run,
                                           const QueryPiece& piece,
                                           std::int64_t token) const {
  const Rows& sums = run.sums[piece.index % 2];
  const std::int64_t offset = (token - reach(piece).left) * padded_;
  return {sums.key + offset, sums.value + offset};
}

void FusedBackward::add_packed(const Rows& sums, const Rows& terms,
                               std::int64_t rows) const {
  kernel_.add_packed(sums.key, terms.key, rows * padded_);
  kernel_.add_packed(sums.value, terms.value, rows * padded_);
}

void FusedBackward::copy_packed(const Rows& to, const Rows& from,
                                std::int64_t rows) const {
  std::copy_n(from.key, rows * padded_, to.key);
  std::copy_n(from.value, rows * padded_, to.value);
}

void FusedBackward::store(const QueryPiece& piece, std::int64_t token,
                          const Rows& rows, std::int64_t count) const {
  for (const auto& [from, tensor] :
       {std::pair{rows.key, &gradients_.key_TE},
        std::pair{rows.value, &gradients_.value_TE}}) {
    MutableHeadRows to = inputs_.mutable_rows(*tensor, piece.document,
                                              piece.head, inputs_.head_size());
    to.first += token * to.stride;
    kernel_.store_rows(from, count, inputs_.head_size(), to);
  }
}

void FusedBackward::add(const QueryPiece& piece, std::int64_t token,
                        const Rows& rows, std::int64_t count) const {
  for (const auto& [from, tensor] :
       {std::pair{rows.key, &gradients_.key_TE},
        std::pair{rows.value, &gradients_.value_TE}}) {
    MutableHeadRows to = inputs_.mutable_rows(*tensor, piece.document,
                                              piece.head, inputs_.head_size());
    to.first += token * to.stride;
    kernel_.add_rows(from, count, inputs_.head_size(), to);
  }
}

void FusedBackward::compute() {
  const auto runs = static_cast<std::int64_t>(runs_.size());
  for_each_run(runs, [&](std::int64_t run) {
    compute_run(runs_[static_cast<std::size_t>(run)]);
  });
  for_each_run(runs, [&](std::int64_t run) {
    finish_run(static_cast<std::size_t>(run));
  });
  if (layout_.num_global_tokens() == 0) return;
  for_each_run(
      layout_.num_documents() * inputs_.num_heads(), [&](std::int64_t n) {
        finish_columns(n / inputs_.num_heads(), n % inputs_.num_heads());
      });
}

void FusedBackward::compute_run(const Run& run) const {
  PackedTokens packed;
  for (std::int64_t n = run.first_piece; n < run.end_piece; ++n) {
    if (pieces_[n].is_first) packed = {};
    compute_piece(run, n, packed);
    combine(run, n);
  }
}

void FusedBackward::compute_piece(const Run& run, std::int64_t number,
                                  PackedTokens& packed) const {
  const QueryPiece piece = pieces_[number];
  const std::int64_t d = piece.document;
  const std::int64_t h = piece.head;
  const std::int64_t head_size = inputs_.head_size();
  const Reach reach = this->reach(piece);
  const Rows& sums = run.sums[piece.index % 2];
  std::fill_n(sums.key, (reach.end - reach.left) * padded_, 0.0F);
  std::fill_n(sums.value, (reach.end - reach.left) * padded_, 0.0F);
  const Rows columns = this->columns(piece);
  std::fill_n(columns.key, layout_.globals(d).count() * 2 * padded_, 0.0F);
  kernel_.backward(
      inputs_.head(d, h),
      {inputs_.rows(tensors_.output_gradient_TE, d, h, head_size),
       inputs_.rows(tensors_.output_TE, d, h, head_size),
       inputs_.rows(tensors_.log_normaliser_TH, d, h, 1),
       inputs_.mutable_rows(gradients_.query_TE, d, h, head_size)},
      piece.first_tile, piece.end_tile,
      {sums.key, sums.value, reach.left, columns.key, columns.value}, packed,
      run.kernel_scratch);
}

/// Adds what a new piece and the one before it contribute to each other, and
/// stores what is complete or will be completed by the second round.
void FusedBackward::combine(const Run& run, std::int64_t number) const {
  const QueryPiece piece = pieces_[number];
  const Reach now = reach(piece);
  const auto waits_for_right_part = [&](std::int64_t n) {
    return n == run.first_piece && !pieces_[n].is_first;
  };
  if (!piece.is_first) {
    const std::int64_t left_rows = now.own - now.left;
    const Rows left = sums_at(run, piece, now.left);
    if (number == run.first_piece) {
      copy_packed(run.first_left, left, left_rows);
    } else {
      const QueryPiece before = pieces_[number - 1];
      const Reach then = reach(before);
      add_packed(sums_at(run, piece, now.own), sums_at(run, before, then.right),
                 then.end - then.right);
      if (waits_for_right_part(number - 1)) {
        copy_packed(run.second_left, left, left_rows);
      } else {
        add_packed(sums_at(run, before, now.left), left, left_rows);
        store(before, then.own, sums_at(run, before, then.own),
              then.right - then.own);
      }
    }
  }
  const bool next_stores = !piece.is_last && number + 1 < run.end_piece &&
                           !waits_for_right_part(number);
  if (!next_stores) {
    store(piece, now.own, sums_at(run, piece, now.own), now.right - now.own);
  }
}

/// Adds the parts that other runs computed to the first and last piece.
void FusedBackward::finish_run(std::size_t index) const {
  const Run& run = runs_[index];
  finish_piece(index, run.first_piece);
  if (run.end_piece - 1 != run.first_piece) {
    finish_piece(index, run.end_piece - 1);
  }
}

void FusedBackward::finish_piece(std::size_t run_index,
                                 std::int64_t number) const {
  const Run& run = runs_[run_index];
  const QueryPiece piece = pieces_[number];
  const Reach now = reach(piece);
  const bool begins_run = number == run.first_piece;
  const bool ends_run = number + 1 == run.end_piece;
  const bool right_part_missing = begins_run && !piece.is_first;
  if (right_part_missing) {
    const QueryPiece before = pieces_[number - 1];
    const Reach then = reach(before);
    add(piece, now.own, sums_at(runs_[run_index - 1], before, then.right),
        then.end - then.right);
  }
  if (piece.is_last) return;
  const Reach next = reach(pieces_[number + 1]);
  if (ends_run) {
    add(piece, next.left, runs_[run_index + 1].first_left,
        next.own - next.left);
  } else if (right_part_missing) {
    add(piece, next.left, run.second_left, next.own - next.left);
  }
}

/// Gradients of the global tokens' keys and values: sums over all pieces.
void FusedBackward::finish_columns(std::int64_t document,
                                   std::int64_t head) const {
  const std::int64_t globals = layout_.globals(document).count();
  if (globals == 0) return;
  const std::int64_t pieces = pieces_.pieces_per_head(document);
  if (pieces == 0) {  // Nobody attends to them here.
    for (const at::Tensor* tensor :
         {&gradients_.key_TE, &gradients_.value_TE}) {
      const MutableHeadRows rows =
          inputs_.mutable_rows(*tensor, document, head, inputs_.head_size());
      for (std::int64_t t = 0; t < globals; ++t) {
        std::fill_n(rows.first + t * rows.stride, inputs_.head_size(), 0.0F);
      }
    }
    return;
  }
  const std::int64_t first = pieces_.first_number(document, head);
  const Rows sums = columns(pieces_[first]);
  for (std::int64_t n = first + 1; n < first + pieces; ++n) {
    add_packed(sums, columns(pieces_[n]), globals);
  }
  store(pieces_[first], 0, sums, globals);
}

}  // namespace longformer
