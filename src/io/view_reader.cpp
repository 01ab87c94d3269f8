// SPDX-License-Identifier: MIT
#include "view_reader.h"

#include <algorithm>
#include <cstring>

namespace longformer {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;

/// One dimension with more than one element; strides in elements.
struct Axis {
  std::int64_t size;
  std::int64_t source_stride;
  std::int64_t target_stride;
};

/// Largest source stride first, so that walking the axes walks the file
/// forward.
std::vector<Axis> sorted_axes(const std::vector<std::int64_t>& shape,
                              const std::vector<std::int64_t>& strides) {
  std::vector<Axis> axes;
  std::int64_t target_stride = 1;
  for (std::size_t i = shape.size(); i > 0; --i) {
    if (shape[i - 1] > 1) {
      axes.push_back({shape[i - 1], strides[i - 1], target_stride});
    }
    target_stride *= shape[i - 1];
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return a.source_stride > b.source_stride;
  });
  return axes;
}

/// Elements between the first and behind the last of some axes.
std::int64_t extent(std::span<const Axis> axes) {
  std::int64_t elements = 1;
  for (const Axis& axis : axes) {
    elements += (axis.size - 1) * axis.source_stride;
  }
  return elements;
}

/// Calls visit(source, target) with the positions of all combinations of
/// indices, relative to the first, the last axis fastest.
template <class Visit>
void for_each_position(std::span<const Axis> axes, const Visit& visit) {
  std::vector<std::int64_t> index(axes.size(), 0);
  std::int64_t source = 0;
  std::int64_t target = 0;
  while (true) {
    visit(source, target);
    std::size_t i = axes.size();
    while (true) {
      if (i == 0) return;
      const Axis& axis = axes[--i];
      source += axis.source_stride;
      target += axis.target_stride;
      if (++index[i] < axis.size) break;
      source -= axis.size * axis.source_stride;
      target -= axis.size * axis.target_stride;
      index[i] = 0;
    }
  }
}

/// Copies the elements of a block that is in memory to their places.
template <class Item>
void scatter(const std::byte* block, std::span<const Axis> axes,
             std::byte* destination) {
  Axis last{1, 0, 0};
  if (!axes.empty()) {
    last = axes.back();
    axes = axes.first(axes.size() - 1);
  }
  for_each_position(axes, [&](std::int64_t source, std::int64_t target) {
    for (std::int64_t i = 0; i < last.size; ++i) {
      // Items need not be aligned in the block.
      Item item;
      std::memcpy(&item,
                  block + (source + i * last.source_stride) *
                              std::int64_t{sizeof(Item)},
                  sizeof(Item));
      std::memcpy(destination + (target + i * last.target_stride) *
                                    std::int64_t{sizeof(Item)},
                  &item, sizeof(Item));
    }
  });
}

/// Reads in jumps inside the block, which the cache holds, and writes to the
/// destination in order.
void scatter_items(const std::byte* block, std::vector<Axis> axes,
                   int item_bytes, std::byte* destination) {
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return a.target_stride > b.target_stride;
  });
  switch (item_bytes) {
    case 1:
      return scatter<std::uint8_t>(block, axes, destination);
    case 2:
      return scatter<std::uint16_t>(block, axes, destination);
    case 4:
      return scatter<std::uint32_t>(block, axes, destination);
    default:
      return scatter<std::uint64_t>(block, axes, destination);
  }
}

}  // namespace

void read_view(const MappedFile& file, std::uint64_t offset,
               const std::vector<std::int64_t>& shape,
               const std::vector<std::int64_t>& strides, int item_bytes,
               std::span<std::byte> destination) {
  std::vector<Axis> axes = sorted_axes(shape, strides);
  const std::span<const Axis> all(axes);
  const std::int64_t block_items = kBlockBytes / item_bytes;

  // Axes from `inner_begin` on fit into a block together; of the axis before
  // them as many steps as fit are read at once; the rest is walked.
  std::size_t inner_begin = 0;
  while (extent(all.subspan(inner_begin)) > block_items) ++inner_begin;
  Axis stepped{1, 0, 0};
  std::span<const Axis> outer;
  if (inner_begin > 0) {
    stepped = axes[inner_begin - 1];
    outer = all.first(inner_begin - 1);
  }
  std::vector<Axis> in_block{stepped};
  in_block.insert(in_block.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(inner_begin),
                  all.end());
  const std::int64_t inner_extent = extent(all.subspan(inner_begin));
  const std::int64_t steps_per_block =
      stepped.source_stride == 0
          ? stepped.size
          : (block_items - inner_extent) / stepped.source_stride + 1;

  std::vector<std::byte> block;
  for_each_position(outer, [&](std::int64_t source, std::int64_t target) {
    for (std::int64_t step = 0; step < stepped.size; step += steps_per_block) {
      in_block[0].size = std::min(steps_per_block, stepped.size - step);
      const std::int64_t begin = source + step * stepped.source_stride;
      block.resize(static_cast<std::size_t>(extent(in_block) * item_bytes));
      file.read_at(offset + static_cast<std::uint64_t>(begin * item_bytes),
                   block);
      scatter_items(block.data(), in_block, item_bytes,
                    destination.data() +
                        (target + step * stepped.target_stride) * item_bytes);
    }
  });
}

void swap_byte_order(std::span<std::byte> items, int item_bytes) {
  const auto size = static_cast<std::size_t>(item_bytes);
  if (size == 1) return;
  for (std::size_t i = 0; i + size <= items.size(); i += size) {
    std::reverse(items.data() + i, items.data() + i + size);
  }
}

}  // namespace longformer
