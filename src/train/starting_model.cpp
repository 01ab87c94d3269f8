// SPDX-License-Identifier: MIT
#include "starting_model.h"

#include <algorithm>
#include <string>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/weight_names.h"

namespace longformer {
namespace {

/// An architecture is a setting, not a model that somebody trained.
ModelConfig read_architecture(const std::string& path) {
  try {
    return parse_model_config_text(read_file(path), path,
                                   {ConfigUse::kArchitecture, false});
  } catch (const ModelError& error) {
    throw ConfigError("architecture: " + std::string(error.what()));
  }
}

/// Options that shape new weights, when there turned out to be none.
void warn_without_effect(const ModelOptions& options,
                         const LoadReport& report) {
  if (options.initializer_range && report.initialised.empty()) {
    log_warning("initializer_range has no effect: " + options.model +
                " brings all weights");
  }
  const bool any_missing =
      std::any_of(report.initialised.begin(), report.initialised.end(),
                  [](const auto& name) { return !is_head_parameter(name); });
  if (options.allow_missing_weights && !any_missing) {
    log_warning("allow_missing_weights has no effect: " + options.model +
                " lacks no weight of the encoder");
  }
}

}  // namespace

ModelConfig starting_config(const ModelOptions& options) {
  ModelConfig config = options.model.empty()
                           ? read_architecture(options.architecture)
                           : read_model_config(options.model);
  if (options.attention_window > 0) {
    set_attention_window(config, options.attention_window);
  }
  if (const auto pooling = chosen(options.pooling)) config.pooling = *pooling;
  if (options.dropout) {
    config.hidden_dropout_prob = *options.dropout;
    config.attention_probs_dropout_prob = *options.dropout;
  }
  if (options.initializer_range) {
    config.initializer_range = *options.initializer_range;
  }
  return config;
}

bool keeps_head(const ModelOptions& options, const ModelConfig& config) {
  if (options.model.empty()) return false;
  const ModelFiles files = ModelFiles::open(options.model);
  const std::string head = config.pooling == Pooling::kMean
                               ? "mean_classifier.out_proj.weight"
                               : "classifier.out_proj.weight";
  const bool has_head =
      std::any_of(files.tensors().begin(), files.tensors().end(),
                  [&](const ModelFiles::Tensor& tensor) {
                    return published_name(tensor.name()).name == head;
                  });
  if (options.reinit_head && !has_head) {
    log_warning("reinit_head has no effect: " + options.model +
                " has no classification head for this pooling anyway");
  }
  return has_head && !options.reinit_head;
}

void complete_config(const ModelOptions& options, const Tokenizer* tokenizer,
                     ModelConfig& config) {
  if (config.vocab_size > 0) return;
  if (tokenizer == nullptr) {
    throw ConfigError(options.architecture +
                      ": vocab_size is missing and there is no tokenizer to "
                      "take it from; give one of them");
  }
  config.vocab_size = tokenizer->vocabulary_size();
  const SpecialTokens& special = tokenizer->special_tokens();
  if (special.pad >= 0) config.pad_token_id = special.pad;
  if (special.bos >= 0) config.bos_token_id = special.bos;
  if (special.eos >= 0) config.eos_token_id = special.eos;
  if (special.sep >= 0) config.sep_token_id = special.sep;
}

std::shared_ptr<LongformerClassifier> make_classifier(
    const ModelOptions& options, const ModelConfig& config,
    std::uint64_t seed) {
  if (!options.model.empty()) {
    LoadedClassifier loaded = load_classifier(
        options.model, config,
        {options.allow_missing_weights, options.reinit_head, seed});
    for (const std::string& note : loaded.report.notes) log_warning(note);
    log_info(options.model + ": " + loaded.report.summary());
    warn_without_effect(options, loaded.report);
    return loaded.classifier;
  }
  auto classifier = std::make_shared<LongformerClassifier>(config);
  initialize_weights(*classifier, seed, /*head_only=*/false);
  return classifier;
}

}  // namespace longformer
