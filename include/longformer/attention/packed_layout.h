// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

namespace longformer {

/// Which tokens of a packed batch belong together and which attend globally.
/// A batch is a concatenation of documents; there is no padding.
///
/// Invariants: documents are not empty; global positions are sorted, unique
/// and inside their document. Immutable after construction.
class PackedLayout {
 public:
  /// The tokens of document b that attend globally.
  struct Globals {
    std::span<const std::int32_t> positions;  ///< Within the document.
    bool is_prefix = true;  ///< positions are 0, 1, ..., count - 1.
    std::int64_t count() const {
      return static_cast<std::int64_t>(positions.size());
    }
  };

  PackedLayout() = default;

  /// document_offsets: [B + 1], the first 0, increasing.
  /// global_positions, global_offsets: ragged positions within each document,
  ///   document b has global_positions[global_offsets[b] .. offsets[b + 1]).
  /// document_index: [B] index of each document in the global batch, which
  ///   keys dropout.
  /// device: where index tensors are wanted.
  /// Throws ShapeError when an invariant does not hold.
  PackedLayout(std::vector<std::int64_t> document_offsets,
               std::vector<std::int32_t> global_positions,
               std::vector<std::int64_t> global_offsets,
               std::vector<std::int32_t> document_index, at::Device device);

  /// Every document has its first `prefix` tokens global (fewer if shorter)
  /// and is numbered in order: for tests and simple callers.
  static PackedLayout with_prefix(
      const std::vector<std::int64_t>& document_lengths, std::int64_t prefix,
      at::Device device = at::kCPU);

  /// The layout of values [B, E] with one row for each document, which dropout
  /// treats as the document's first token. No token is global.
  PackedLayout one_row_a_document() const;

  std::int64_t num_documents() const {
    return static_cast<std::int64_t>(document_index_.size());
  }
  std::int64_t num_tokens() const { return document_offsets_.back(); }
  std::int64_t num_global_tokens() const { return global_offsets_.back(); }
  std::int64_t begin(std::int64_t document) const {
    return document_offsets_[static_cast<std::size_t>(document)];
  }
  std::int64_t length(std::int64_t document) const {
    return begin(document + 1) - begin(document);
  }
  std::uint32_t document_index(std::int64_t document) const {
    return static_cast<std::uint32_t>(
        document_index_[static_cast<std::size_t>(document)]);
  }
  Globals globals(std::int64_t document) const;
  /// First row of document b among all global tokens of the batch.
  std::int64_t global_begin(std::int64_t document) const {
    return global_offsets_[static_cast<std::size_t>(document)];
  }
  bool all_globals_are_prefixes() const { return all_prefixes_; }
  /// Whether the first token of every document is global.
  bool all_first_tokens_are_global() const;

  /// [N] int64: the packed row of every global token, document by document.
  const at::Tensor& global_rows_N() const { return global_rows_; }
  /// [B] int64: the packed row of each document's first token.
  const at::Tensor& first_rows_B() const { return first_rows_; }
  /// [T] int64: the document of every token.
  const at::Tensor& document_of_token_T() const { return document_of_token_; }
  at::Device device() const { return global_rows_.device(); }

 private:
  std::vector<std::int64_t> document_offsets_{0};
  std::vector<std::int32_t> global_positions_;
  std::vector<std::int64_t> global_offsets_{0};
  std::vector<std::int32_t> document_index_;
  std::vector<char> is_prefix_;
  bool all_prefixes_ = true;
  at::Tensor global_rows_;
  at::Tensor first_rows_;
  at::Tensor document_of_token_;
};

}  // namespace longformer
