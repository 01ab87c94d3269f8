// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longformer/config/task.h"
#include "longformer/data/encode_document.h"
#include "longformer/data/label_map.h"
#include "longformer/data/lost_globals.h"
#include "longformer/data/record.h"

namespace longformer {

/// Read-only array of T in memory that somebody owns: a vector, or a mapped
/// file. Copies share it.
template <class T>
class Column {
 public:
  Column() = default;
  explicit Column(std::vector<T> values) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *owned;
    owner_ = std::move(owned);
  }
  Column(std::shared_ptr<const void> owner, std::span<const T> view)
      : owner_(std::move(owner)), view_(view) {}

  std::span<const T> view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](std::size_t i) const { return view_[i]; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const T> view_;
};

/// The arrays of a data set of n documents. Everything but `files` and
/// `options` may lie in a mapped file.
struct DatasetColumns {
  Column<std::int32_t> tokens;
  Column<std::int64_t> token_offsets;  ///< [n + 1], into tokens.
  Column<std::int32_t> token_types;    ///< Like tokens; empty: all 0.
  Column<std::int32_t> global_prefix;  ///< [n].
  /// Ragged; both empty when all global tokens are prefixes. A document with a
  /// prefix then lists its positions here too.
  Column<std::int32_t> global_tokens;
  Column<std::int64_t> global_offsets;  ///< [n + 1], into global_tokens.
  Column<std::int64_t> cut_tokens;      ///< [n].
  Column<SourcePosition> positions;     ///< [n].
  Column<char> label_bytes;             ///< Labels as they stand in the file.
  Column<std::int64_t> label_offsets;   ///< [n + 1], into label_bytes.
  LostGlobals lost_globals;
  std::vector<std::string> files;
  EncodeOptions options;
};

/// Tokenised documents with their labels, in the order of the files, in
/// compact memory (about 4 bytes a token).
///
/// Threads: const functions from any number at a time.
class Dataset {
 public:
  Dataset() = default;
  explicit Dataset(DatasetColumns columns);

  std::int64_t size() const { return size_; }
  std::int64_t num_tokens() const {
    return static_cast<std::int64_t>(columns_.tokens.size());
  }
  std::int64_t length(std::int64_t row) const;
  std::span<const std::int32_t> tokens(std::int64_t row) const;
  /// Empty when no document has token types.
  std::span<const std::int32_t> token_types(std::int64_t row) const;
  std::int32_t global_prefix(std::int64_t row) const;
  bool has_scattered_globals() const {
    return !columns_.global_offsets.empty();
  }
  /// Only if has_scattered_globals().
  std::span<const std::int32_t> global_tokens(std::int64_t row) const;
  std::int64_t cut_tokens(std::int64_t row) const;
  const SourcePosition& position(std::int64_t row) const;
  /// "file:line:column" of a row.
  std::string describe(std::int64_t row) const;
  std::vector<std::int64_t> lengths() const;

  /// Documents that were cut, and tokens lost with them.
  std::int64_t num_truncated() const { return num_truncated_; }
  std::int64_t num_cut_tokens() const { return num_cut_tokens_; }

  /// The label as it stands in the file.
  RawLabel raw_label(std::int64_t row) const;
  /// Feeds every label to `collector`.
  /// Throws DataError with file and row.
  void collect_labels(LabelCollector& collector) const;
  /// Turns all labels into targets.
  /// Throws DataError with file and row.
  void set_targets(const LabelMap& labels);
  /// Multiplies the weight of each document by its class's; kSingleLabel only.
  void set_class_weights(const std::vector<double>& weights);

  bool has_targets() const { return problem_type_.has_value(); }
  std::int64_t num_labels() const { return num_labels_; }
  std::int32_t class_id(std::int64_t row) const;          ///< kSingleLabel.
  std::span<const float> values(std::int64_t row) const;  ///< The other kinds.
  double weight(std::int64_t row) const;
  /// Documents per class (kSingleLabel) or per label that applies
  /// (kMultiLabel).
  std::vector<std::int64_t> label_counts() const;

  /// Digest of documents and targets: equal data sets train alike. Written to
  /// checkpoints and compared between ranks. Cost: linear, about 10 GB/s.
  std::uint64_t fingerprint() const;

  const DatasetColumns& columns() const { return columns_; }

 private:
  DatasetColumns columns_;
  std::int64_t size_ = 0;
  std::int64_t num_truncated_ = 0;
  std::int64_t num_cut_tokens_ = 0;
  std::optional<ProblemType> problem_type_;
  std::int64_t num_labels_ = 0;
  std::vector<std::int32_t> class_ids_;
  std::vector<float> values_;
  std::vector<double> weights_;
};

/// Collects encoded documents into a Dataset.
class DatasetBuilder {
 public:
  DatasetBuilder(std::vector<std::string> files, EncodeOptions options);
  ~DatasetBuilder();
  DatasetBuilder(DatasetBuilder&&) noexcept;

  void add(const EncodedDocument& document, const RawLabel& label,
           const SourcePosition& position);
  std::int64_t size() const;
  /// The builder is empty afterwards.
  Dataset finish();

 private:
  struct Columns;
  std::unique_ptr<Columns> columns_;
};

}  // namespace longformer
