// SPDX-License-Identifier: MIT
#include "longformer/io/safetensors_writer.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "weight_layout.h"

namespace longformer {
namespace {

std::uint64_t source_bytes(const TensorSource& source) {
  const std::int64_t elements = product(source.shape).value_or(-1);
  const std::int64_t bytes = dtype_bytes(source.dtype, elements).value_or(-1);
  if (bytes < 0) {
    throw std::invalid_argument("write_safetensors: shape of " + source.name);
  }
  return static_cast<std::uint64_t>(bytes);
}

/// The order of the safetensors library: larger dtypes first, so that every
/// tensor is aligned for its type, then by name.
void sort_as_library(std::vector<TensorSource>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorSource& a, const TensorSource& b) {
              return a.dtype != b.dtype ? a.dtype > b.dtype : a.name < b.name;
            });
}

void check_names(const std::vector<TensorSource>& tensors) {
  std::unordered_set<std::string_view> names;
  for (const TensorSource& tensor : tensors) {
    // The name may come from a file that somebody else wrote.
    if (tensor.name == "__metadata__") {
      throw ModelError(
          "a tensor called \"__metadata__\" cannot be stored in "
          "the safetensors format; rename it");
    }
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument("write_safetensors: " + tensor.name +
                                  " twice");
    }
  }
}

/// Length and header, up to where the data begin.
std::string make_header(const std::vector<TensorSource>& tensors,
                        const SafetensorsMetadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const TensorSource& tensor : tensors) {
    const std::uint64_t end = offset + source_bytes(tensor);
    Json entry;
    entry["dtype"] = dtype_name(tensor.dtype);
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {offset, end};
    header[tensor.name] = std::move(entry);
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) +
         text;
}

std::string shard_name(std::size_t index, std::size_t count) {
  char name[64];
  std::snprintf(name, sizeof(name), "model-%05zu-of-%05zu.safetensors",
                index + 1, count);
  return name;
}

/// Deals tensors to shards in order.
std::vector<std::vector<TensorSource>> split(std::vector<TensorSource> tensors,
                                             std::int64_t max_shard_bytes) {
  std::vector<std::vector<TensorSource>> shards(1);
  std::uint64_t filled = 0;
  for (TensorSource& tensor : tensors) {
    const std::uint64_t bytes = source_bytes(tensor);
    if (max_shard_bytes > 0 && !shards.back().empty() &&
        filled + bytes > static_cast<std::uint64_t>(max_shard_bytes)) {
      shards.emplace_back();
      filled = 0;
    }
    filled += bytes;
    shards.back().push_back(std::move(tensor));
  }
  return shards;
}

}  // namespace

TensorSource tensor_source(std::string name, DType dtype,
                           std::vector<std::int64_t> shape,
                           std::span<const std::byte> bytes) {
  return {std::move(name), dtype, std::move(shape),
          [bytes](const ByteSink& sink) { sink(bytes); }};
}

FileDigest write_safetensors(const std::string& path,
                             std::vector<TensorSource> tensors,
                             const SafetensorsMetadata& metadata) {
  check_names(tensors);
  sort_as_library(tensors);
  const std::string header = make_header(tensors, metadata);
  std::uint64_t total = header.size();
  for (const TensorSource& tensor : tensors) total += source_bytes(tensor);

  AtomicFile file(path, total);
  file.write(header);
  for (const TensorSource& tensor : tensors) {
    const std::uint64_t expected = file.bytes_written() + source_bytes(tensor);
    tensor.produce(
        [&](std::span<const std::byte> bytes) { file.write(bytes); });
    if (file.bytes_written() != expected) {
      throw std::invalid_argument(
          "write_safetensors: wrong number of bytes "
          "for " +
          tensor.name);
    }
  }
  return file.commit();
}

std::vector<FileDigest> write_model_weights(const std::string& directory,
                                            std::vector<TensorSource> tensors,
                                            std::int64_t max_shard_bytes) {
  check_names(tensors);
  auto shards = split(std::move(tensors), max_shard_bytes);
  if (shards.size() == 1) {
    return {write_safetensors(join_path(directory, "model.safetensors"),
                              std::move(shards[0]))};
  }
  std::vector<FileDigest> written;
  std::uint64_t total = 0;
  std::map<std::string, std::string> weight_map;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = shard_name(i, shards.size());
    for (const TensorSource& tensor : shards[i]) {
      total += source_bytes(tensor);
      weight_map.emplace(tensor.name, name);
    }
    written.push_back(
        write_safetensors(join_path(directory, name), std::move(shards[i])));
  }
  Json index;
  index["metadata"]["total_size"] = total;
  index["weight_map"] = weight_map;
  written.push_back(write_file_atomically(
      join_path(directory, "model.safetensors.index.json"),
      index.dump(2) + "\n"));
  return written;
}

}  // namespace longformer
