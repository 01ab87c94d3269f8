// SPDX-License-Identifier: MIT
#include "weight_reading.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "longformer/base/error.h"
#include "longformer/base/threads.h"
#include "longformer/io/half.h"

namespace longformer {
namespace {

[[noreturn]] void refuse_non_finite(const ModelFiles::Tensor& source) {
  throw ModelError(source.file->path() + ": " + source.name() +
                   " holds a value that is not finite; the file is damaged "
                   "or comes from a run that diverged");
}

/// Reads a tensor whose shape has been checked, and checks the values.
void read_values(const ModelFiles::Tensor& source,
                 const at::Tensor& destination) {
  const auto numel = static_cast<std::size_t>(destination.numel());
  std::optional<std::size_t> non_finite;
  if (destination.scalar_type() == at::kDouble) {
    const std::span values(destination.data_ptr<double>(), numel);
    source.read_as_double(values);
    non_finite = find_non_finite(values);
  } else {
    const std::span values(destination.data_ptr<float>(), numel);
    source.read_as_float(values);
    non_finite = find_non_finite(values);
  }
  if (non_finite) refuse_non_finite(source);
}

/// The same for some of the elements of a tensor that is stored as float, in
/// blocks that the processor's cache still holds when they are checked.
void read_floats(const ModelFiles::Tensor& source, std::int64_t first,
                 std::span<float> values) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  while (!values.empty()) {
    const auto block = values.first(std::min(kBlock, values.size()));
    source.file->read_part(*source.entry, first * std::int64_t{sizeof(float)},
                           std::as_writable_bytes(block));
    if (find_non_finite(block)) refuse_non_finite(source);
    first += static_cast<std::int64_t>(block.size());
    values = values.subspan(block.size());
  }
}

/// The check alone, of some of the elements of a mapped tensor.
void check_mapped_floats(const ModelFiles::Tensor& source, std::int64_t first,
                         std::span<const float> values) {
  const auto size = static_cast<std::int64_t>(values.size_bytes());
  source.file->present_part(*source.entry, first * std::int64_t{sizeof(float)},
                            size);
  if (find_non_finite(values)) refuse_non_finite(source);
}

/// Cuts large tensors into parts, so that all threads have the same to do.
std::vector<std::function<void()>> parts_of(
    const std::vector<WeightRead>& reads) {
  constexpr std::int64_t kPart = std::int64_t{1} << 20;
  std::vector<std::function<void()>> parts;
  for (const WeightRead& read : reads) {
    const ModelFiles::Tensor& source = *read.source;
    if (!is_read_in_parts(read)) {
      parts.emplace_back([&] { read_values(source, read.destination); });
      continue;
    }
    float* values = read.destination.data_ptr<float>();
    const std::int64_t numel = read.destination.numel();
    for (std::int64_t first = 0; first < numel; first += kPart) {
      const std::span part(values + first, static_cast<std::size_t>(
                                               std::min(kPart, numel - first)));
      parts.emplace_back([&, first, part] {
        if (read.is_mapped) {
          check_mapped_floats(*read.source, first, part);
        } else {
          read_floats(*read.source, first, part);
        }
      });
    }
  }
  return parts;
}

}  // namespace

void check_shape(const ModelFiles::Tensor& source, const at::Tensor& wanted,
                 const std::string& advice) {
  if (source.entry->shape == wanted.sizes().vec()) return;
  throw ModelError(source.file->path() + ": " + source.name() + " has shape " +
                   shape_text(source.entry->shape) + ", config.json asks for " +
                   shape_text(wanted.sizes().vec()) + "; " + advice);
}

bool is_read_in_parts(const WeightRead& read) {
  return read.source->entry->dtype == DType::kF32 &&
         read.destination.scalar_type() == at::kFloat &&
         read.source->file->can_read_parts(*read.source->entry);
}

at::Tensor mapped_tensor(const ModelFiles::Tensor& source,
                         const std::shared_ptr<const ModelFiles>& files) {
  const auto bytes = source.file->mapped(*source.entry);
  // The probe fails on kernels that cannot make pages present.
  if (source.entry->dtype != DType::kF32 || bytes.empty() ||
      !source.file->present_part(*source.entry, 0, 1)) {
    return {};
  }
  return at::from_blob(
      const_cast<std::byte*>(bytes.data()), source.entry->shape,
      [files](void*) {}, at::TensorOptions(at::kFloat));
}

/// Several tensors at a time: one thread does not use all of the memory's
/// bandwidth, and the kernel spends as long on the fresh pages as on the copy.
/// More than a few gain nothing, but each may need a buffer (fp64 files).
void read_all(const std::vector<WeightRead>& reads) {
  constexpr int kMostThreads = 8;
  const std::vector<std::function<void()>> parts = parts_of(reads);
  parallel_parts(static_cast<std::int64_t>(parts.size()), 1,
                 std::min(at::get_num_threads(), kMostThreads),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     parts[static_cast<std::size_t>(i)]();
                   }
                 });
}

}  // namespace longformer
