// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "longformer/io/weight_file.h"

namespace longformer {

/// The weights in a model directory, in one file or in shards:
/// model.safetensors, model.safetensors.index.json, pytorch_model.bin or
/// pytorch_model.bin.index.json, the first of these that is there.
///
/// A shard index may name only files in the same folder; every tensor that it
/// lists must be in the shard it names, and every tensor of a shard must be
/// listed. Files that it does not name are not read. Throws as WeightFile.
class ModelFiles {
 public:
  /// Opens all shards; `path` may also name one weight file or index.
  static ModelFiles open(const std::string& path);

  /// One tensor, and the file that holds it.
  struct Tensor {
    const WeightEntry* entry = nullptr;
    const WeightFile* file = nullptr;

    const std::string& name() const { return entry->name; }
    void read(std::span<std::byte> destination) const {
      file->read(*entry, destination);
    }
    void read_as_float(std::span<float> destination) const {
      file->read_as_float(*entry, destination);
    }
    void read_as_double(std::span<double> destination) const {
      file->read_as_double(*entry, destination);
    }
  };

  /// The file or index that was chosen; for messages.
  const std::string& path() const { return path_; }
  /// All tensors, each once, in the order of the files.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Nothing if there is no tensor of that name.
  const Tensor* find(std::string_view name) const;
  /// Throws ModelError naming a file that was written to since it was opened.
  void check_unchanged() const;
  /// What the user should know, such as a second weight file that is ignored.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add(const Tensor& tensor);
  void open_index(const std::string& index_path);

  std::string path_;
  std::vector<std::unique_ptr<WeightFile>> files_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<std::string> notes_;
};

/// Whether a file of this name in a model directory may be read as part of the
/// model: its configuration, weights or an index of them.
bool is_model_file_name(std::string_view name);

}  // namespace longformer
