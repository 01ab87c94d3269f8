// SPDX-License-Identifier: MIT
#include "longformer/train/saved_tensors.h"

#include <ATen/Functions.h>

#include "longformer/base/error.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/io/safetensors_writer.h"

#include "weight_reading.h"

namespace longformer {
namespace {

TensorSource source_of(const NamedParameter& parameter) {
  const at::Tensor& tensor = parameter.tensor;
  const DType dtype =
      tensor.scalar_type() == at::kDouble ? DType::kF64 : DType::kF32;
  return {parameter.name, dtype, tensor.sizes().vec(),
          [tensor](const ByteSink& sink) {
            const at::Tensor host = tensor.detach().cpu().contiguous();
            sink({static_cast<const std::byte*>(host.const_data_ptr()),
                  static_cast<std::size_t>(host.nbytes())});
          }};
}

std::vector<TensorSource> sources_of(
    const std::vector<NamedParameter>& tensors) {
  std::vector<TensorSource> sources;
  for (const NamedParameter& tensor : tensors) {
    sources.push_back(source_of(tensor));
  }
  return sources;
}

/// `tensor` itself, or one of its kind that files can be read into.
at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  return at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
}

}  // namespace

void save_classifier(const LongformerClassifier& classifier,
                     const std::string& directory) {
  write_file_atomically(join_path(directory, "config.json"),
                        to_json(classifier.config(), "float32").dump(2) + "\n");
  write_model_weights(directory, sources_of(named_parameters(classifier)));
}

void save_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path) {
  write_safetensors(path, sources_of(tensors));
}

void load_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path) {
  const at::NoGradGuard no_gradients;
  const ModelFiles files = ModelFiles::open(path);
  std::vector<WeightRead> reads;
  for (const NamedParameter& tensor : tensors) {
    const ModelFiles::Tensor* source = files.find(tensor.name);
    if (source == nullptr) {
      throw ModelError(path + ": " + tensor.name +
                       " is missing; the file belongs to another model");
    }
    check_shape(*source, tensor.tensor, "the file belongs to another model");
    reads.push_back({source, on_host(tensor.tensor)});
  }
  if (files.tensors().size() != tensors.size()) {
    throw ModelError(
        path + ": holds " + std::to_string(files.tensors().size()) +
        " tensors, the model has " + std::to_string(tensors.size()) +
        "; the file belongs to another model");
  }
  read_all(reads);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].tensor.is_cpu()) {
      tensors[i].tensor.copy_(reads[i].destination);
    }
  }
}

}  // namespace longformer
