// SPDX-License-Identifier: MIT
#include "longformer/io/model_files.h"

#include <array>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/file_system.h"

#include "format_error.h"

namespace longformer {
namespace {

/// In the order of preference.
constexpr std::array<std::string_view, 4> kWeightFiles = {
    "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
    "pytorch_model.bin.index.json"};

constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{16} << 20;

bool is_index(std::string_view path) { return path.ends_with(".index.json"); }

[[noreturn]] void fail_without_weights(const std::string& directory) {
  std::string found;
  for (const DirectoryEntry& entry : list_directory(directory)) {
    // Part of a training, with the endings of weights.
    if (entry.name.starts_with("optimizer") ||
        entry.name.starts_with("training_args")) {
      continue;
    }
    for (const std::string_view end :
         {".bin", ".safetensors", ".h5", ".msgpack", ".pt", ".ckpt", ".pth"}) {
      if (entry.name.ends_with(end)) found += " " + in_quotes(entry.name);
    }
  }
  throw ModelError(
      directory +
      ": holds no model.safetensors and no pytorch_model.bin, nor an index "
      "(.index.json) of parts of them" +
      (found.empty()
           ? "; copy the model's weights there"
           : "; found" + found + ": rename the right one, or give its path"));
}

/// Where each tensor is, from the index file's "weight_map".
std::vector<std::pair<std::string, std::string>> read_weight_map(
    const std::string& index_path) {
  Json index;
  try {
    index = parse_strict_json(read_file(index_path, kMaxIndexBytes));
  } catch (const JsonSyntaxError& error) {
    throw ModelError(index_path + ": " + describe(error) +
                     "; the file is damaged, get it again");
  }
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object()) {
    throw ModelError(index_path +
                     ": has no object \"weight_map\", which must say in which "
                     "file each tensor is");
  }
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string()) {
      throw ModelError(index_path + ": the file of tensor " + in_quotes(name) +
                       " is no string");
    }
    result.emplace_back(name, file.get<std::string>());
  }
  return result;
}

/// Refuses everything but the plain name of a file in the same folder.
void check_shard_name(const std::string& index_path, const std::string& shard) {
  const bool is_plain =
      !shard.empty() && shard != "." && shard != ".." &&
      shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (!is_plain) {
    throw ModelError(index_path + ": names the file " + in_quotes(shard) +
                     ", but may only name files in its own folder");
  }
}

}  // namespace

bool is_model_file_name(std::string_view name) {
  return name == "config.json" || name.ends_with(".safetensors") ||
         name.ends_with(".bin") || is_index(name);
}

ModelFiles ModelFiles::open(const std::string& path) {
  ModelFiles files;
  files.path_ = path;
  if (is_directory(path)) {
    std::vector<std::string> found;
    for (const std::string_view name : kWeightFiles) {
      if (exists(join_path(path, name))) found.emplace_back(name);
    }
    if (found.empty()) fail_without_weights(path);
    files.path_ = join_path(path, found[0]);
    for (std::size_t i = 1; i < found.size(); ++i) {
      files.notes_.push_back(path + ": weights are read from " + found[0] +
                             "; " + found[i] + " beside it is ignored");
    }
  }
  if (is_index(files.path_)) {
    files.open_index(files.path_);
  } else {
    files.files_.push_back(WeightFile::open(files.path_));
    for (const WeightEntry& entry : files.files_[0]->entries()) {
      files.add({&entry, files.files_[0].get()});
    }
  }
  return files;
}

void ModelFiles::add(const Tensor& tensor) {
  by_name_.emplace(tensor.name(), tensors_.size());
  tensors_.push_back(tensor);
}

void ModelFiles::open_index(const std::string& index_path) {
  const auto weight_map = read_weight_map(index_path);
  std::unordered_map<std::string_view, std::string_view> shard_of;
  std::unordered_map<std::string_view, const WeightFile*> opened;
  for (const auto& [name, shard] : weight_map) {
    shard_of.emplace(name, shard);
    if (opened.contains(shard)) continue;
    check_shard_name(index_path, shard);
    const std::string path = join_path(parent_path(index_path), shard);
    if (!exists(path)) {
      throw ModelError(path + ": is missing, but " + index_path +
                       " says that it holds tensor " + in_quotes(name) +
                       "; get the file");
    }
    files_.push_back(WeightFile::open(path));
    opened.emplace(shard, files_.back().get());
  }
  for (const auto& [name, shard] : weight_map) {
    if (opened.at(shard)->find(name) == nullptr) {
      throw ModelError(index_path + ": says that tensor " + in_quotes(name) +
                       " is in " + shard +
                       ", but it is not; the index belongs to other files");
    }
  }
  for (const auto& file : files_) {
    for (const WeightEntry& entry : file->entries()) {
      const auto at = shard_of.find(entry.name);
      if (at == shard_of.end()) {
        throw ModelError(file->path() + ": holds tensor " +
                         in_quotes(entry.name) + ", which " + index_path +
                         " does not list; the index belongs to other files");
      }
      if (opened.at(at->second) == file.get()) add({&entry, file.get()});
    }
  }
}

const ModelFiles::Tensor* ModelFiles::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &tensors_[at->second];
}

void ModelFiles::check_unchanged() const {
  for (const auto& file : files_) {
    if (!file->is_unchanged()) {
      throw ModelError(file->path() +
                       ": was changed while it was in use, so that nothing "
                       "that came out can be trusted; run this again (replace "
                       "models by renaming, not by writing into their files)");
    }
  }
}

}  // namespace longformer
