// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "longformer/io/digest.h"
#include "longformer/io/dtype.h"

namespace longformer {

/// Takes consecutive pieces of a tensor's bytes.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// A tensor to be written: row-major, little-endian.
struct TensorSource {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  /// Called once, when it is the tensor's turn; must give the sink exactly the
  /// tensor's bytes, in one piece or many.
  std::function<void(const ByteSink& sink)> produce;
};

/// A source over bytes that stay in place until the file is written.
TensorSource tensor_source(std::string name, DType dtype,
                           std::vector<std::int64_t> shape,
                           std::span<const std::byte> bytes);

/// Written into the header; the published models say {"format": "pt"}.
using SafetensorsMetadata = std::map<std::string, std::string>;

/// Writes one file, atomically (see atomic_write.h), in the layout of the
/// safetensors library: larger dtypes first, then by name, header padded to a
/// multiple of 8 bytes. The same tensors give the same bytes. Memory: what the
/// sources hold.
///
/// Throws FileError; ModelError for a tensor called "__metadata__", which the
/// format cannot hold; std::invalid_argument when a source is inconsistent (a
/// name twice, wrong number of bytes), which is a bug of the caller.
FileDigest write_safetensors(const std::string& path,
                             std::vector<TensorSource> tensors,
                             const SafetensorsMetadata& metadata = {
                                 {"format", "pt"}});

/// Writes `directory`/model.safetensors or, when the tensors take more than
/// `max_shard_bytes` > 0 bytes (0: no limit), shards called
/// model-00001-of-0000N.safetensors and model.safetensors.index.json. Tensors
/// are dealt to shards in the given order; one that is larger than a shard gets
/// its own. The folder must exist; as a set the files are atomic only inside an
/// AtomicDirectory.
std::vector<FileDigest> write_model_weights(const std::string& directory,
                                            std::vector<TensorSource> tensors,
                                            std::int64_t max_shard_bytes = 0);

}  // namespace longformer
