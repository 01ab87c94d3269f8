// SPDX-License-Identifier: MIT
#include "longformer/data/dataset.h"

#include <algorithm>
#include <stdexcept>

#include "longformer/base/error.h"
#include "longformer/io/digest.h"

#include "stored_label.h"

namespace longformer {
namespace {

template <class T>
std::span<const T> ragged(const Column<T>& values,
                          const Column<std::int64_t>& offsets,
                          std::int64_t row) {
  const auto i = static_cast<std::size_t>(row);
  return values.view().subspan(
      static_cast<std::size_t>(offsets[i]),
      static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
}

template <class T>
void update(Digest& digest, std::span<const T> values) {
  const auto size = static_cast<std::uint64_t>(values.size());
  digest.update(std::as_bytes(std::span<const std::uint64_t>(&size, 1)));
  digest.update(std::as_bytes(values));
}

}  // namespace

Dataset::Dataset(DatasetColumns columns)
    : columns_(std::move(columns)),
      size_(static_cast<std::int64_t>(columns_.global_prefix.size())) {
  for (const std::int64_t cut : columns_.cut_tokens.view()) {
    num_truncated_ += cut > 0 ? 1 : 0;
    num_cut_tokens_ += cut;
  }
}

std::int64_t Dataset::length(std::int64_t row) const {
  const auto i = static_cast<std::size_t>(row);
  return columns_.token_offsets[i + 1] - columns_.token_offsets[i];
}

std::span<const std::int32_t> Dataset::tokens(std::int64_t row) const {
  return ragged(columns_.tokens, columns_.token_offsets, row);
}

std::span<const std::int32_t> Dataset::token_types(std::int64_t row) const {
  if (columns_.token_types.empty()) return {};
  return ragged(columns_.token_types, columns_.token_offsets, row);
}

std::int32_t Dataset::global_prefix(std::int64_t row) const {
  return columns_.global_prefix[static_cast<std::size_t>(row)];
}

std::span<const std::int32_t> Dataset::global_tokens(std::int64_t row) const {
  return ragged(columns_.global_tokens, columns_.global_offsets, row);
}

std::int64_t Dataset::cut_tokens(std::int64_t row) const {
  return columns_.cut_tokens[static_cast<std::size_t>(row)];
}

const SourcePosition& Dataset::position(std::int64_t row) const {
  return columns_.positions[static_cast<std::size_t>(row)];
}

std::string Dataset::describe(std::int64_t row) const {
  const SourcePosition& where = position(row);
  return longformer::describe(
      columns_.files.at(static_cast<std::size_t>(where.file)), where);
}

std::vector<std::int64_t> Dataset::lengths() const {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
  for (std::int64_t row = 0; row < size_; ++row) {
    lengths[static_cast<std::size_t>(row)] = length(row);
  }
  return lengths;
}

RawLabel Dataset::raw_label(std::int64_t row) const {
  return stored_label(
      ragged(columns_.label_bytes, columns_.label_offsets, row));
}

void Dataset::collect_labels(LabelCollector& collector) const {
  for (std::int64_t row = 0; row < size_; ++row) {
    try {
      collector.add(raw_label(row), [&] { return describe(row); });
    } catch (const DataError& error) {
      throw DataError(describe(row) + ": " + error.what());
    }
  }
}

void Dataset::set_targets(const LabelMap& labels) {
  const bool classes = labels.problem_type() == ProblemType::kSingleLabel;
  const auto count = static_cast<std::size_t>(size_);
  std::vector<std::int32_t> class_ids;
  std::vector<float> values;
  if (classes) {
    class_ids.reserve(count);
  } else {
    values.reserve(count * static_cast<std::size_t>(labels.num_labels()));
  }
  for (std::int64_t row = 0; row < size_; ++row) {
    try {
      const Target target = labels.target(raw_label(row));
      if (classes) class_ids.push_back(target.class_id);
      values.insert(values.end(), target.values.begin(), target.values.end());
    } catch (const DataError& error) {
      throw DataError(describe(row) + ": " + error.what());
    }
  }
  problem_type_ = labels.problem_type();
  num_labels_ = labels.num_labels();
  class_ids_ = std::move(class_ids);
  values_ = std::move(values);
  weights_.clear();
}

void Dataset::set_class_weights(const std::vector<double>& weights) {
  if (problem_type_ != ProblemType::kSingleLabel ||
      weights.size() != static_cast<std::size_t>(num_labels_)) {
    throw std::invalid_argument(
        "set_class_weights needs single-label targets and one weight a class");
  }
  weights_.clear();
  weights_.reserve(class_ids_.size());
  for (const std::int32_t id : class_ids_) {
    weights_.push_back(weights[static_cast<std::size_t>(id)]);
  }
}

std::int32_t Dataset::class_id(std::int64_t row) const {
  return class_ids_[static_cast<std::size_t>(row)];
}

std::span<const float> Dataset::values(std::int64_t row) const {
  if (values_.empty()) return {};
  return std::span<const float>(values_).subspan(
      static_cast<std::size_t>(row * num_labels_),
      static_cast<std::size_t>(num_labels_));
}

double Dataset::weight(std::int64_t row) const {
  return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(row)];
}

std::vector<std::int64_t> Dataset::label_counts() const {
  if (problem_type_ == ProblemType::kRegression) return {};
  std::vector<std::int64_t> counts(static_cast<std::size_t>(num_labels_));
  for (const std::int32_t id : class_ids_)
    ++counts[static_cast<std::size_t>(id)];
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] != 0) ++counts[i % counts.size()];
  }
  return counts;
}

std::uint64_t Dataset::fingerprint() const {
  Digest digest;
  update(digest, columns_.tokens.view());
  update(digest, columns_.token_offsets.view());
  update(digest, columns_.token_types.view());
  update(digest, columns_.global_prefix.view());
  update(digest, columns_.global_tokens.view());
  update(digest, columns_.global_offsets.view());
  update(digest, std::span<const std::int32_t>(class_ids_));
  update(digest, std::span<const float>(values_));
  update(digest, std::span<const double>(weights_));
  return std::stoull(digest.hex().substr(0, 16), nullptr, 16);
}

}  // namespace longformer
