// SPDX-License-Identifier: MIT
#include "longformer/config/model_config.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/config/option_values.h"

#include "activation_names.h"
#include "attention_window.h"
#include "config_labels.h"
#include "config_reader.h"

namespace longformer {
namespace {

// Far beyond every model there is; what is larger is a mistake in the file,
// and would otherwise be reported as a lack of memory.
constexpr std::int64_t kMostTokens = 1 << 30;
constexpr std::int64_t kMostWords = 100'000'000;
constexpr std::int64_t kMostChannels = 1 << 20;
constexpr std::int64_t kMostLayers = 10'000;

/// Models whose position ids start behind the padding id, as Longformer's do.
void check_kind(ConfigReader& reader) {
  const auto type = reader.text("model_type");
  constexpr std::array<std::string_view, 4> kKnown{"longformer", "roberta",
                                                   "xlm-roberta", "camembert"};
  if (type && std::find(kKnown.begin(), kKnown.end(), *type) == kKnown.end()) {
    reader.add("model_type", shown(*type) +
                                 " is another kind of model; expected "
                                 "longformer, roberta, xlm-roberta or "
                                 "camembert");
  }
  const auto positions = reader.text("position_embedding_type");
  if (positions && *positions != "absolute") {
    reader.add("position_embedding_type",
               shown(*positions) + " is not supported; only \"absolute\"");
  }
}

void read_sizes(ConfigReader& reader, ConfigUse use, ModelConfig& config) {
  if (use == ConfigUse::kArchitecture) {
    config.vocab_size =
        reader.optional_whole("vocab_size", 1, kMostWords).value_or(0);
  } else {
    config.vocab_size = reader.required_whole("vocab_size", 1, kMostWords);
  }
  config.hidden_size = reader.required_whole("hidden_size", 1, kMostChannels);
  config.num_hidden_layers =
      reader.required_whole("num_hidden_layers", 1, kMostLayers);
  config.num_attention_heads =
      reader.required_whole("num_attention_heads", 1, kMostChannels);
  config.intermediate_size =
      reader.required_whole("intermediate_size", 1, kMostChannels);
  config.max_position_embeddings =
      reader.required_whole("max_position_embeddings", 1, kMostTokens);
  config.type_vocab_size =
      reader.required_whole("type_vocab_size", 1, kMostChannels);
  // A size of 0 was refused already; nothing is derived from it.
  if (config.num_attention_heads > 0 &&
      config.hidden_size % config.num_attention_heads != 0) {
    reader.add("num_attention_heads",
               std::to_string(config.num_attention_heads) +
                   " heads do not divide hidden_size " +
                   std::to_string(config.hidden_size));
  }
}

void read_token_ids(ConfigReader& reader, ModelConfig& config) {
  const std::int64_t last =
      config.vocab_size > 0 ? config.vocab_size - 1 : kMostWords;
  config.pad_token_id = reader.required_whole("pad_token_id", 0, last);
  config.bos_token_id = reader.optional_whole("bos_token_id", 0, last);
  config.eos_token_id = reader.optional_whole("eos_token_id", 0, last);
  config.sep_token_id = reader.optional_whole("sep_token_id", 0, last);
  if (config.max_position_embeddings > 0 && config.usable_length() < 1) {
    reader.add("max_position_embeddings",
               std::to_string(config.max_position_embeddings) +
                   " positions leave no room: they start at pad_token_id + 1 "
                   "= " +
                   std::to_string(config.pad_token_id + 1));
  }
}

void read_function(ConfigReader& reader, ModelConfig& config) {
  if (reader.find("hidden_act") == nullptr) reader.missing("hidden_act");
  if (const auto name = reader.text("hidden_act")) {
    if (const auto activation = activation_named(*name)) {
      config.hidden_act = *activation;
    } else {
      reader.add("hidden_act", shown(*name) + " is not supported; expected " +
                                   activation_name_list());
    }
  }
  if (reader.find("layer_norm_eps") == nullptr) {
    reader.missing("layer_norm_eps");
  }
  config.layer_norm_eps =
      reader.number("layer_norm_eps", std::numeric_limits<double>::min(), 1,
                    config.layer_norm_eps);
  config.hidden_dropout_prob =
      reader.number("hidden_dropout_prob", 0, 1, config.hidden_dropout_prob);
  config.attention_probs_dropout_prob =
      reader.number("attention_probs_dropout_prob", 0, 1,
                    config.attention_probs_dropout_prob);
  constexpr double kWidestStart = 10;
  config.initializer_range =
      reader.number("initializer_range", 0, kWidestStart,
                    config.initializer_range, /*includes_high=*/true);
}

/// The enumerator called `name`, or a problem and nothing.
template <class Enum>
std::optional<Enum> read_enum(ConfigReader& reader, const std::string& key,
                              const std::string& expected) {
  const auto name = reader.text(key);
  if (!name) return std::nullopt;
  const auto& names = EnumNames<Enum>::kNames;
  const auto at = std::find(names.begin(), names.end(), *name);
  if (at != names.end()) return static_cast<Enum>(at - names.begin());
  reader.add(key, shown(*name) + " is unknown; expected " + expected);
  return std::nullopt;
}

}  // namespace

ModelConfig parse_model_config(const Json& document, const std::string& where,
                               const ModelConfigRules& rules) {
  if (!document.is_object()) {
    throw ModelError(where + ": expected a JSON object, got " +
                     shown(document));
  }
  ConfigReader reader(document);
  ModelConfig config;
  check_kind(reader);
  read_sizes(reader, rules.use, config);
  read_token_ids(reader, config);
  read_function(reader, config);
  config.attention_window =
      read_attention_windows(reader, config.num_hidden_layers, rules);
  config.pooling = read_enum<Pooling>(reader, "pooling", "cls or mean")
                       .value_or(Pooling::kCls);
  config.problem_type = read_enum<ProblemType>(
      reader, "problem_type",
      "single_label_classification, multi_label_classification or regression");
  config.labels = read_labels(reader, rules.use);
  config.original = document;
  reader.throw_problems(where);
  return config;
}

ModelConfig parse_model_config_text(std::string_view text,
                                    const std::string& where,
                                    const ModelConfigRules& rules) {
  try {
    return parse_model_config(parse_strict_json(text), where, rules);
  } catch (const JsonSyntaxError& error) {
    throw ModelError(where + ": not valid JSON: " + describe(error) +
                     "; the file may be incomplete, fetch it again");
  }
}

}  // namespace longformer
