// SPDX-License-Identifier: MIT
#include "encoder_weights.h"

#include <utility>

#include "longformer/base/error.h"

namespace longformer {
namespace {

class WeightList {
 public:
  void table(const std::string& name, std::int64_t rows, std::int64_t columns) {
    weights_[name + ".weight"] = {rows, columns};
  }
  void linear(const std::string& name, std::int64_t outputs,
              std::int64_t inputs) {
    table(name, outputs, inputs);
    weights_[name + ".bias"] = {outputs};
  }
  void layer_norm(const std::string& name, std::int64_t size) {
    weights_[name + ".weight"] = {size};
    weights_[name + ".bias"] = {size};
  }
  std::map<std::string, std::vector<std::int64_t>> take() {
    return std::move(weights_);
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> weights_;
};

void add_layer(WeightList& list, const std::string& layer,
               const ModelConfig& config, bool with_global) {
  const std::int64_t hidden = config.hidden_size;
  for (const std::string part : {"query", "key", "value"}) {
    const std::string name = layer + "attention.self." + part;
    list.linear(name, hidden, hidden);
    if (with_global) list.linear(name + "_global", hidden, hidden);
  }
  list.linear(layer + "attention.output.dense", hidden, hidden);
  list.layer_norm(layer + "attention.output.LayerNorm", hidden);
  list.linear(layer + "intermediate.dense", config.intermediate_size, hidden);
  list.linear(layer + "output.dense", hidden, config.intermediate_size);
  list.layer_norm(layer + "output.LayerNorm", hidden);
}

/// The first tensor that no model has under this name, as it is in the files;
/// a hint at a prefix that is not known.
std::string first_unknown(const PublishedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (!is_model_weight(name)) return " (not known: " + tensor->name() + ")";
  }
  return "";
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> encoder_weights(
    const ModelConfig& config, bool with_global) {
  WeightList list;
  const std::string embeddings = "longformer.embeddings.";
  const std::int64_t hidden = config.hidden_size;
  list.table(embeddings + "word_embeddings", config.vocab_size, hidden);
  list.table(embeddings + "position_embeddings", config.max_position_embeddings,
             hidden);
  list.table(embeddings + "token_type_embeddings", config.type_vocab_size,
             hidden);
  list.layer_norm(embeddings + "LayerNorm", hidden);
  for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) {
    add_layer(list, "longformer.encoder.layer." + std::to_string(i) + ".",
              config, with_global);
  }
  return list.take();
}

bool is_model_weight(const std::string& name) {
  for (const char* part :
       {"longformer.", "classifier.", "mean_classifier.", "lm_head."}) {
    if (name.starts_with(part)) return true;
  }
  return false;
}

void check_weights(const PublishedTensors& tensors, const ModelConfig& config,
                   bool with_global, const std::string& path) {
  for (const auto& [name, shape] : encoder_weights(config, with_global)) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      throw ModelError(path + ": " + name + " is missing" +
                       first_unknown(tensors) +
                       "; these are not all the weights of a Longformer, "
                       "RoBERTa or XLM-R with this config.json");
    }
    const ModelFiles::Tensor& tensor = *found->second;
    if (tensor.entry->shape == shape) continue;
    throw ModelError(tensor.file->path() + ": " + tensor.name() +
                     " has shape " + shape_text(tensor.entry->shape) +
                     ", config.json asks for " + shape_text(shape) +
                     "; the weights do not belong to this config.json");
  }
  for (const auto& [name, tensor] : tensors) {
    const DType dtype = tensor->entry->dtype;
    if (!is_model_weight(name) || is_weight_dtype(dtype)) continue;
    throw ModelError(tensor->file->path() + ": " + tensor->name() + " is " +
                     std::string(dtype_name(dtype)) +
                     ", weights are F16, BF16, F32 or F64");
  }
}

}  // namespace longformer
