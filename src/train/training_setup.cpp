// SPDX-License-Identifier: MIT
#include "longformer/train/training_setup.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/config/option_checks.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/label_matching.h"
#include "longformer/train/metric_names.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/weight_names.h"

namespace longformer {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// "2 labels (ham, spam)".
std::string counted(const std::vector<std::string>& labels) {
  return std::to_string(labels.size()) + " labels (" + joined(labels) + ")";
}

/// Shape and dropout of the model, before labels are known.
ModelConfig starting_config(const ModelOptions& options) {
  ModelConfig config;
  if (!options.model.empty()) {
    config = read_model_config(options.model);
  } else {
    const std::string& path = options.architecture;
    config = parse_model_config_text(read_file(path), path,
                                     {ConfigUse::kArchitecture, false});
  }
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

/// Whether the model to start from brings a head of the wanted pooling that is
/// to be kept, and with it its labels.
bool keeps_head(const ModelOptions& options, const ModelConfig& config) {
  if (options.model.empty() || options.reinit_head) return false;
  const ModelFiles files = ModelFiles::open(options.model);
  const std::string head = config.pooling == Pooling::kMean
                               ? "mean_classifier.out_proj.weight"
                               : "classifier.out_proj.weight";
  return std::any_of(files.tensors().begin(), files.tensors().end(),
                     [&](const ModelFiles::Tensor& tensor) {
                       return published_name(tensor.name()).name == head;
                     });
}

/// Labels of the training data, by the options and the data alone.
LabelMap labels_of_data(const TrainOptions& options, const Dataset& data,
                        std::optional<ProblemType> problem_type) {
  LabelCollector collector({problem_type, options.data.labels});
  data.collect_labels(collector);
  LabelMap labels = collector.decide();
  log_info(labels.description());
  return labels;
}

/// Labels of a run that keeps the head of `config`: the model's, in its order.
LabelMap labels_with_head(const TrainOptions& options,
                          const ModelConfig& config, const Dataset& data) {
  const auto wanted = chosen(options.data.problem_type);
  const ProblemType problem_type = problem_type_of(config);
  if (wanted && *wanted != problem_type) {
    throw ConfigError(
        "problem_type: the head of " + options.model.model +
        " was trained for another problem type; give --reinit-head to start "
        "with a new head");
  }
  if (problem_type == ProblemType::kRegression) {
    return labels_of_data(options, data, problem_type);
  }
  LabelMap found = labels_of_data(options, data, problem_type);
  if (found.num_labels() == config.num_labels() &&
      config.labels == default_labels(config.num_labels())) {
    return found;  // The model's labels never had names.
  }
  for (const std::string& name : found.names()) {
    if (std::find(config.labels.begin(), config.labels.end(), name) ==
        config.labels.end()) {
      throw ModelError(
          options.model.model + ": the model has " + counted(config.labels) +
          ", the training data " + counted(found.names()) +
          "; give --reinit-head to start with a new head for these labels");
    }
  }
  if (found.names() != config.labels) {
    log_info("labels are mapped to the model's by name: " +
             joined(config.labels));
  }
  return {problem_type, config.labels, found.notation()};
}

void set_class_weights(const ClassWeights& choice, TrainingSetup& setup,
                       LossSettings& loss) {
  if (choice.kind == ClassWeights::Kind::kNone) return;
  const LabelMap& labels = *setup.labels;
  std::vector<double> weights = choice.values;
  if (choice.kind == ClassWeights::Kind::kBalanced) {
    weights = balanced_class_weights(setup.train_data.label_counts());
  }
  if (static_cast<std::int64_t>(weights.size()) != labels.num_labels()) {
    throw ConfigError("class_weights: " + std::to_string(weights.size()) +
                      " weights for " + std::to_string(labels.num_labels()) +
                      " labels (" + joined(labels.names()) +
                      "); give one for each");
  }
  std::string line = "class weights:";
  for (std::size_t i = 0; i < weights.size(); ++i) {
    line += " " + labels.names()[i] + " " + std::to_string(weights[i]);
  }
  log_info(line);
  if (labels.problem_type() == ProblemType::kSingleLabel) {
    setup.train_data.set_class_weights(weights);
  }
  loss.class_weights = std::move(weights);
}

std::int64_t count_steps(const OptimizerOptions& options,
                         std::int64_t documents) {
  const std::int64_t per_epoch =
      (documents + options.batch_size - 1) / options.batch_size;
  const auto epochs = epoch_limit(options);
  std::int64_t steps = options.max_steps;
  if (epochs && (steps == 0 || *epochs * per_epoch < steps)) {
    steps = *epochs * per_epoch;
  }
  return steps;
}

TrainerSettings trainer_settings(const TrainOptions& options,
                                 std::int64_t total_steps) {
  const OptimizerOptions& o = options.optimizer;
  const std::int64_t warmup =
      o.warmup_ratio > 0 ? warmup_steps_from_ratio(o.warmup_ratio, total_steps)
                         : o.warmup_steps;
  TrainerSettings settings;
  settings.batch_size = o.batch_size;
  settings.micro_batch_tokens = options.compute.micro_batch_tokens;
  settings.seed = static_cast<std::uint64_t>(options.run.seed);
  settings.shuffle = options.run.shuffle;
  settings.learning_rate = o.learning_rate;
  settings.embedding_learning_rate =
      o.embedding_learning_rate.value_or(o.learning_rate);
  settings.schedule = LearningRateSchedule(o.schedule, warmup, total_steps);
  settings.adamw = {o.adam_beta1, o.adam_beta2, o.adam_epsilon, o.weight_decay};
  settings.max_grad_norm = o.max_grad_norm;
  settings.ema_decay = o.ema_decay;
  settings.loss.label_smoothing = o.label_smoothing;
  return settings;
}

/// Before anything that takes time.
void check_output_dir(const RunOptions& options) {
  if (options.resume == "none" &&
      exists(join_path(options.output_dir, "metrics.jsonl"))) {
    throw ConfigError(
        "output_dir: " + options.output_dir +
        " already holds a run; give --resume auto to continue it, or choose "
        "another directory (or delete this one)");
  }
  create_directories(options.output_dir);
}

/// Only where several labels may apply can a row have none of them.
LabelColumn label_column(const TrainOptions& options,
                         std::optional<ProblemType> problem_type) {
  return {options.data.label_column, problem_type == ProblemType::kMultiLabel};
}

/// Empty: no cache.
std::string cache_dir(const TrainOptions& options) {
  const std::string& choice = options.data.token_cache;
  if (choice == "none") return "";
  return choice == "auto" ? join_path(options.run.output_dir, "token_cache")
                          : choice;
}

/// Reads one more labelled set with the labels of the training data.
std::optional<Dataset> load_other(const std::string& purpose,
                                  const std::vector<std::string>& inputs,
                                  const TrainingSetup& setup,
                                  const DatasetLoading& loading) {
  if (inputs.empty()) return std::nullopt;
  Dataset dataset = load_dataset(purpose, inputs, loading);
  dataset.set_targets(*setup.labels);
  return dataset;
}

std::shared_ptr<LongformerClassifier> make_classifier(
    const TrainOptions& options, const ModelConfig& config) {
  const auto seed = static_cast<std::uint64_t>(options.run.seed);
  if (!options.model.model.empty()) {
    LoadedClassifier loaded = load_classifier(
        options.model.model, config,
        {options.model.allow_missing_weights, options.model.reinit_head, seed});
    for (const std::string& note : loaded.report.notes) log_warning(note);
    log_info(options.model.model + ": " + loaded.report.summary());
    return loaded.classifier;
  }
  auto classifier = std::make_shared<LongformerClassifier>(config);
  initialize_weights(*classifier, seed, /*head_only=*/false);
  return classifier;
}

void complete_config(const TrainOptions& options, const TrainingSetup& setup,
                     ModelConfig& config) {
  if (config.vocab_size > 0) return;
  if (setup.tokenizer == nullptr) {
    throw ConfigError(options.model.architecture +
                      ": vocab_size is missing and there is no tokenizer to "
                      "take it from; give one of them");
  }
  config.vocab_size = setup.tokenizer->vocabulary_size();
  const SpecialTokens& special = setup.tokenizer->special_tokens();
  if (special.pad >= 0) config.pad_token_id = special.pad;
  if (special.bos >= 0) config.bos_token_id = special.bos;
  if (special.eos >= 0) config.eos_token_id = special.eos;
  if (special.sep >= 0) config.sep_token_id = special.sep;
}

}  // namespace

TrainingSetup prepare_training(const TrainOptions& options) {
  check_output_dir(options.run);
  TrainingSetup setup;
  setup.options = options;
  setup.threads = options.compute.threads > 0
                      ? static_cast<int>(options.compute.threads)
                      : available_threads();
  ModelConfig config = starting_config(options.model);
  setup.tokenizer =
      find_tokenizer(options.model.tokenizer, options.model.model, config);
  complete_config(options, setup, config);
  const bool has_head = keeps_head(options.model, config);
  const std::optional<ProblemType> problem_type =
      has_head ? problem_type_of(config) : chosen(options.data.problem_type);
  DatasetLoading loading{
      options.reading,       label_column(options, problem_type),
      setup.tokenizer.get(), encode_options(config, options.model.max_length),
      setup.threads,         cache_dir(options)};
  setup.train_data = load_dataset("training", options.data.train_data, loading);
  setup.labels = has_head
                     ? labels_with_head(options, config, setup.train_data)
                     : labels_of_data(options, setup.train_data, problem_type);
  throw_if_any(validate_for_problem(options, setup.labels->problem_type()));
  setup.train_data.set_targets(*setup.labels);
  set_labels(config, *setup.labels);
  setup.best_metric =
      options.run.best_metric == "auto"
          ? std::string(default_best_metric(setup.labels->problem_type()))
          : options.run.best_metric;
  check_best_metric(setup.best_metric, setup.labels->problem_type(),
                    setup.labels->num_labels());
  loading.label_column = label_column(options, setup.labels->problem_type());
  setup.validation_data =
      load_other("validation", options.data.validation_data, setup, loading);
  setup.test_data = load_other("test", options.data.test_data, setup, loading);
  setup.total_steps = count_steps(options.optimizer, setup.train_data.size());
  setup.trainer = trainer_settings(options, setup.total_steps);
  setup.trainer.loss.problem_type = setup.labels->problem_type();
  set_class_weights(options.optimizer.class_weights, setup, setup.trainer.loss);
  setup.classifier = make_classifier(options, config);
  return setup;
}

}  // namespace longformer
