// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/field.h"
#include "longformer/config/task.h"

namespace longformer {

/// Function between the two matrices of the feed-forward part. Several
/// spellings of Hugging Face's mean the same function.
enum class Activation {
  kGelu,      ///< x * Phi(x), exact: "gelu", "gelu_python".
  kGeluTanh,  ///< The tanh approximation: "gelu_new", "gelu_fast",
              ///< "gelu_pytorch_tanh", "gelu_accurate".
  kRelu,      ///< "relu".
  kSilu,      ///< x * sigmoid(x): "silu", "swish".
};

/// The spelling that is written when there is none to keep.
template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 4> kNames{"gelu", "gelu_new",
                                                          "relu", "silu"};
};

/// A model's config.json (Hugging Face's LongformerConfig), checked.
struct ModelConfig {
  std::int64_t vocab_size = 0;  ///< 0 only for an architecture without one.
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t max_position_embeddings = 0;  ///< Rows of the position table.
  std::int64_t type_vocab_size = 0;
  double layer_norm_eps = 0;
  Activation hidden_act = Activation::kGelu;
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  double initializer_range = 0.02;
  std::int64_t pad_token_id = 0;
  std::optional<std::int64_t> bos_token_id;
  std::optional<std::int64_t> eos_token_id;
  std::optional<std::int64_t> sep_token_id;
  /// One a layer: both sides together, in tokens; even. A local token sees
  /// window / 2 tokens on each side. Empty only for ConfigUse::kShortModel.
  std::vector<std::int64_t> attention_window;
  Pooling pooling = Pooling::kCls;
  std::optional<ProblemType> problem_type;
  /// Names of the outputs, in order; empty only for an architecture without.
  std::vector<std::string> labels;
  /// The document as it was read, for keys that this program does not know.
  Json original = Json::object();

  std::int64_t num_labels() const {
    return static_cast<std::int64_t>(labels.size());
  }
  std::int64_t head_size() const { return hidden_size / num_attention_heads; }
  /// Longest document in tokens: positions start at pad_token_id + 1.
  std::int64_t usable_length() const {
    return max_position_embeddings - pad_token_id - 1;
  }
};

/// What a config.json describes, which decides what it may leave out.
enum class ConfigUse {
  kModel,         ///< A trained model.
  kArchitecture,  ///< A model to be made: without vocab_size or labels
                  ///< (from the tokenizer and the training data).
  kShortModel,    ///< RoBERTa or XLM-R, to be lengthened: without windows.
};

struct ModelConfigRules {
  ConfigUse use = ConfigUse::kModel;
  /// attention_window counts one side only (the original code of AI2): it is
  /// doubled. Without this, such configs are refused.
  bool one_sided_window = false;
};

/// Reads a config.json. `where` is its path, for messages.
///
/// Throws ModelError that lists every problem with key, value and remedy:
/// missing keys (no class default is ever assumed for a number that the
/// weights depend on), wrong types, values out of range, an unknown
/// activation, odd or misnumbered windows, heads that do not divide the hidden
/// size, another kind of model.
ModelConfig parse_model_config(const Json& document, const std::string& where,
                               const ModelConfigRules& rules = {});

/// The same from text; syntax errors become ModelError with line and column.
ModelConfig parse_model_config_text(std::string_view text,
                                    const std::string& where,
                                    const ModelConfigRules& rules = {});

/// The config.json of `config`, as the library `transformers` opens it: keys of
/// `config.original` in their order with this struct's values, then what was
/// not there. `dtype`: type of the weights as Hugging Face spells it
/// ("float32"); empty keeps what was found, or float32.
Json to_json(const ModelConfig& config, std::string_view dtype = {});

/// Sets windows, in every layer, after a change of options.
/// Throws ConfigError if `window` is odd or below 2.
void set_attention_window(ModelConfig& config, std::int64_t window);

/// Names LABEL_0 ... LABEL_{count - 1}, as Hugging Face gives them.
std::vector<std::string> default_labels(std::int64_t count);

}  // namespace longformer
