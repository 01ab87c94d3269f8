// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "longformer/config/model_config.h"

#include "activation_names.h"

namespace longformer {
namespace {

/// Sets the key where it stands, or at the end.
void set(Json& document, const char* key, Json value) {
  document[key] = std::move(value);
}

void set_or_erase(Json& document, const char* key,
                  const std::optional<std::int64_t>& value) {
  if (value) {
    set(document, key, *value);
  } else {
    document.erase(key);
  }
}

/// Keeps the spelling that was read if it still means the same.
void set_activation(Json& document, Activation activation) {
  const auto at = document.find("hidden_act");
  if (at != document.end() && at->is_string() &&
      activation_named(at->get_ref<const std::string&>()) == activation) {
    return;
  }
  set(document, "hidden_act", std::string(name_of(activation)));
}

/// One number stays one number.
void set_windows(Json& document, const std::vector<std::int64_t>& windows) {
  if (windows.empty()) {
    document.erase("attention_window");
    return;
  }
  const auto at = document.find("attention_window");
  const bool is_number = at != document.end() && at->is_number_integer();
  if (is_number && std::all_of(windows.begin(), windows.end(),
                               [&](auto window) { return *at == window; })) {
    return;
  }
  set(document, "attention_window", windows);
}

void set_labels(Json& document, const std::vector<std::string>& labels) {
  // It would contradict the maps below; Hugging Face derives it from them.
  document.erase("num_labels");
  if (labels.empty()) {
    document.erase("id2label");
    document.erase("label2id");
    return;
  }
  // Built as arrays of members: assignment by key searches the whole object.
  Json id2label = Json::object();
  Json label2id = Json::object();
  auto& names = id2label.get_ref<Json::object_t&>();
  auto& ids = label2id.get_ref<Json::object_t&>();
  using Members = std::vector<std::pair<const std::string, Json>>;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    names.Members::emplace_back(std::to_string(i), labels[i]);
    ids.Members::emplace_back(labels[i], i);
  }
  set(document, "id2label", std::move(id2label));
  set(document, "label2id", std::move(label2id));
}

/// Type of the weights: the one asked for, else what was found.
std::string weight_type(const Json& document, std::string_view dtype) {
  constexpr std::array<std::string_view, 4> kKnown{"float32", "float16",
                                                   "bfloat16", "float64"};
  if (!dtype.empty()) return std::string(dtype);
  for (const char* key : {"dtype", "torch_dtype"}) {
    const auto at = document.find(key);
    if (at == document.end() || !at->is_string()) continue;
    const auto& name = at->get_ref<const std::string&>();
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) {
      return name;
    }
  }
  return "float32";
}

void set_sizes(Json& document, const ModelConfig& config) {
  set_or_erase(
      document, "vocab_size",
      config.vocab_size > 0 ? std::optional(config.vocab_size) : std::nullopt);
  set(document, "hidden_size", config.hidden_size);
  set(document, "num_hidden_layers", config.num_hidden_layers);
  set(document, "num_attention_heads", config.num_attention_heads);
  set(document, "intermediate_size", config.intermediate_size);
  set(document, "max_position_embeddings", config.max_position_embeddings);
  set(document, "type_vocab_size", config.type_vocab_size);
  set_windows(document, config.attention_window);
}

void set_numbers(Json& document, const ModelConfig& config) {
  set(document, "layer_norm_eps", config.layer_norm_eps);
  set_activation(document, config.hidden_act);
  set(document, "hidden_dropout_prob", config.hidden_dropout_prob);
  set(document, "attention_probs_dropout_prob",
      config.attention_probs_dropout_prob);
  set(document, "initializer_range", config.initializer_range);
  set(document, "pad_token_id", config.pad_token_id);
  set_or_erase(document, "bos_token_id", config.bos_token_id);
  set_or_erase(document, "eos_token_id", config.eos_token_id);
  set_or_erase(document, "sep_token_id", config.sep_token_id);
}

}  // namespace

Json to_json(const ModelConfig& config, std::string_view dtype) {
  Json document = config.original;
  set(document, "architectures",
      Json::array({"LongformerForSequenceClassification"}));
  set(document, "model_type", "longformer");
  set_sizes(document, config);
  set_numbers(document, config);
  set_labels(document, config.labels);
  if (config.problem_type) {
    set(document, "problem_type", std::string(name_of(*config.problem_type)));
  } else {
    document.erase("problem_type");
  }
  if (config.pooling == Pooling::kMean) {
    set(document, "pooling", "mean");
  } else {
    document.erase("pooling");
  }
  // Of AI2's original code; windows are written two-sided.
  if (document.contains("attention_mode")) {
    set(document, "attention_mode", "longformer");
  }
  document.erase("attention_dilation");
  document.erase("autoregressive");
  const std::string type = weight_type(config.original, dtype);
  set(document, "dtype", type);
  set(document, "torch_dtype", type);
  return document;
}

}  // namespace longformer
