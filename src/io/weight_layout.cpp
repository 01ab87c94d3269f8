// SPDX-License-Identifier: MIT
#include "weight_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "format_error.h"

namespace longformer {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

void WeightLayout::add(std::string name, DType dtype,
                       std::vector<std::int64_t> shape, StoredTensor where) {
  WeightEntry entry;
  entry.name = std::move(name);
  entry.dtype = dtype;
  entry.shape = std::move(shape);
  entry.num_elements = product(entry.shape).value();
  entry.num_bytes = dtype_bytes(dtype, entry.num_elements).value();
  entry.index = entries.size();
  entries.push_back(std::move(entry));
  stored.push_back(std::move(where));
}

std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape) {
  // Unsigned, so that 2^63 times 0 is still 0, as in other readers.
  std::uint64_t result = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 ||
        __builtin_mul_overflow(result, static_cast<std::uint64_t>(dimension),
                               &result)) {
      return std::nullopt;
    }
  }
  if (result > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(result);
}

void check_names_unique(const std::vector<WeightEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return entries[a].name < entries[b].name;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::string& name = entries[order[i]].name;
    if (name == entries[order[i - 1]].name) {
      fail_tensor(name,
                  "the name appears twice; which one is meant is not "
                  "known, write the file again");
    }
  }
}

}  // namespace longformer
