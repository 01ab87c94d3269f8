// SPDX-License-Identifier: MIT
#include "longformer/attention/packed_layout.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <ATen/Functions.h>

#include "longformer/attention/vector_math.h"
#include "longformer/base/error.h"

namespace longformer {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw ShapeError("PackedLayout: " + what);
}

at::Tensor index_tensor(const std::vector<std::int64_t>& values,
                        at::Device device) {
  at::Tensor host = at::empty({static_cast<std::int64_t>(values.size())},
                              at::TensorOptions(at::kLong));
  std::copy(values.begin(), values.end(), host.data_ptr<std::int64_t>());
  return device.is_cpu() ? host : host.to(device);
}

}  // namespace

PackedLayout::PackedLayout(std::vector<std::int64_t> document_offsets,
                           std::vector<std::int32_t> global_positions,
                           std::vector<std::int64_t> global_offsets,
                           std::vector<std::int32_t> document_index,
                           at::Device device)
    : document_offsets_(std::move(document_offsets)),
      global_positions_(std::move(global_positions)),
      global_offsets_(std::move(global_offsets)),
      document_index_(std::move(document_index)) {
  prepare_vector_math();
  const std::size_t documents = document_index_.size();
  require(document_offsets_.size() == documents + 1 &&
              document_offsets_.front() == 0,
          "document_offsets must hold 0 and the end of every document");
  require(global_offsets_.size() == documents + 1 &&
              global_offsets_.front() == 0 &&
              global_offsets_.back() ==
                  static_cast<std::int64_t>(global_positions_.size()),
          "global_offsets must cover global_positions");
  std::vector<std::int64_t> global_rows;
  global_rows.reserve(global_positions_.size());
  std::vector<std::int64_t> document_of_token(
      static_cast<std::size_t>(num_tokens()));
  is_prefix_.resize(documents);
  for (std::int64_t b = 0; b < num_documents(); ++b) {
    require(length(b) > 0, "document " + std::to_string(b) + " is empty");
    require(global_begin(b + 1) >= global_begin(b),
            "global_offsets must not decrease");
    std::fill(document_of_token.begin() + begin(b),
              document_of_token.begin() + begin(b + 1), b);
    std::int64_t previous = -1;
    for (std::int64_t n = global_begin(b); n < global_begin(b + 1); ++n) {
      const std::int64_t position =
          global_positions_[static_cast<std::size_t>(n)];
      require(position > previous && position < length(b),
              "global positions must be increasing and inside the document");
      previous = position;
      global_rows.push_back(begin(b) + position);
    }
    const bool prefix = previous + 1 == global_begin(b + 1) - global_begin(b);
    is_prefix_[static_cast<std::size_t>(b)] = prefix ? 1 : 0;
    all_prefixes_ = all_prefixes_ && prefix;
  }
  global_rows_ = index_tensor(global_rows, device);
  first_rows_ = index_tensor(
      {document_offsets_.begin(), document_offsets_.end() - 1}, device);
  document_of_token_ = index_tensor(document_of_token, device);
}

PackedLayout PackedLayout::with_prefix(
    const std::vector<std::int64_t>& document_lengths, std::int64_t prefix,
    at::Device device) {
  std::vector<std::int64_t> document_offsets{0};
  std::vector<std::int64_t> global_offsets{0};
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> index;
  for (const std::int64_t length : document_lengths) {
    document_offsets.push_back(document_offsets.back() + length);
    for (std::int64_t g = 0; g < std::min(prefix, length); ++g) {
      positions.push_back(static_cast<std::int32_t>(g));
    }
    global_offsets.push_back(static_cast<std::int64_t>(positions.size()));
    index.push_back(static_cast<std::int32_t>(index.size()));
  }
  return {std::move(document_offsets), std::move(positions),
          std::move(global_offsets), std::move(index), device};
}

PackedLayout PackedLayout::one_row_a_document() const {
  std::vector<std::int64_t> offsets(document_index_.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return {std::move(offsets),
          {},
          std::vector<std::int64_t>(document_index_.size() + 1, 0),
          document_index_,
          device()};
}

bool PackedLayout::all_first_tokens_are_global() const {
  for (std::int64_t b = 0; b < num_documents(); ++b) {
    const auto positions = globals(b).positions;
    if (positions.empty() || positions[0] != 0) return false;
  }
  return true;
}

PackedLayout::Globals PackedLayout::globals(std::int64_t document) const {
  const auto begin = static_cast<std::size_t>(global_begin(document));
  const auto end = static_cast<std::size_t>(global_begin(document + 1));
  return {std::span(global_positions_).subspan(begin, end - begin),
          is_prefix_[static_cast<std::size_t>(document)] != 0};
}

}  // namespace longformer
