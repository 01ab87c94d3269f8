// SPDX-License-Identifier: MIT
#include "longformer/train/training_setup.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/config/option_checks.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/label_matching.h"
#include "longformer/train/metric_names.h"
#include "longformer/train/run_folders.h"

#include "output_dir.h"
#include "resume_checks.h"
#include "shared_checkpoint.h"
#include "start_checks.h"
#include "starting_model.h"

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

/// Labels of the training data, by the options and the data alone.
LabelMap labels_of_data(const Dataset& data, LabelOptions options) {
  LabelCollector collector(std::move(options));
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
  const LabelOptions wanted_labels{problem_type, options.data.labels,
                                   "the model"};
  if (problem_type == ProblemType::kRegression) {
    return labels_of_data(data, wanted_labels);
  }
  LabelMap found = labels_of_data(data, wanted_labels);
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

std::int64_t steps_per_epoch(const OptimizerOptions& options,
                             std::int64_t documents) {
  return (documents + options.batch_size - 1) / options.batch_size;
}

std::int64_t count_steps(const OptimizerOptions& options,
                         std::int64_t documents) {
  const std::int64_t per_epoch = steps_per_epoch(options, documents);
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
  settings.exchange.compress =
      options.exchange.compression == Compression::kFp16;
  return settings;
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
  Dataset dataset =
      load_dataset(purpose, inputs, loading, setup.communicator.get());
  dataset.set_targets(*setup.labels);
  return dataset;
}

void warn_of_short_run(const TrainOptions& options,
                       const TrainingSetup& setup) {
  const std::int64_t per_epoch =
      steps_per_epoch(options.optimizer, setup.train_data.size());
  for (const std::string& warning :
       warnings_for_length(options, setup.total_steps, per_epoch)) {
    log_warning(warning);
  }
}

/// Puts in order what a killed run left.
void tidy_up(const RunFolders& folders) {
  recover_leftovers(folders.output);
  if (folders.is_model_elsewhere && is_directory(folders.model)) {
    recover_leftovers(folders.model);
  }
  CheckpointStore(folders.checkpoints).remove_leftovers();
}

/// What the kind of labels decides about other options.
void check_for_problem(const TrainOptions& options, ProblemType problem_type) {
  throw_if_any(validate_for_problem(options, problem_type));
  if (options.run.best_metric != "auto") {
    check_metric_exists(options.run.best_metric, problem_type);
  }
}

}  // namespace

void check_training(const TrainOptions& options) {
  check_start(options);
  check_output_dir(options.run);
}

TrainingSetup prepare_training(const TrainOptions& options,
                               std::shared_ptr<Communicator> communicator,
                               at::Device device) {
  const RunFolders folders = run_folders(options.run);
  const CheckpointStore checkpoints(folders.checkpoints);
  TrainingSetup setup;
  setup.communicator = std::move(communicator);
  setup.options = options;
  if (setup.is_main()) {
    check_start(options);
    warn_of_shared_data(options);
    setup.output_dir = take_output_dir(options.run);
    tidy_up(folders);
    setup.checkpoint = checkpoints.find(options.run.resume);
  } else {
    // What is wrong with the options is rank 0's to find and to say.
    setup.communicator->await_all();
  }
  setup.threads = options.compute.threads > 0
                      ? static_cast<int>(options.compute.threads)
                      : available_threads();
  ModelConfig config = starting_config(options.model);
  setup.tokenizer =
      find_tokenizer(options.model.tokenizer, options.model.model, config);
  complete_config(options.model, setup.tokenizer.get(), config);
  std::vector<Recomputation> recomputation =
      recomputation_of(options.memory.recomputation, config.num_hidden_layers);
  if (setup.checkpoint) {
    check_resumed_options(setup.checkpoint->directory, options, config);
  }
  const bool has_head = keeps_head(options.model, config);
  const std::optional<ProblemType> problem_type =
      has_head ? problem_type_of(config) : chosen(options.data.problem_type);
  if (problem_type) check_for_problem(options, *problem_type);
  DatasetLoading loading{
      options.reading,
      label_column(options, problem_type),
      setup.tokenizer.get(),
      encode_options(config, options.model.max_length, setup.tokenizer.get()),
      setup.threads,
      cache_dir(options)};
  if (setup.tokenizer != nullptr) {
    // What the model was trained on is what it should be asked with.
    setup.tokenizer->set_model_max_length(loading.encode.max_length);
  }
  if (setup.communicator && setup.is_main()) setup.communicator->await_all();
  setup.train_data = load_dataset("training", options.data.train_data, loading,
                                  setup.communicator.get());
  setup.labels =
      has_head ? labels_with_head(options, config, setup.train_data)
               : labels_of_data(setup.train_data,
                                LabelOptions{.problem_type = problem_type,
                                             .labels = options.data.labels});
  check_for_problem(options, setup.labels->problem_type());
  setup.train_data.set_targets(*setup.labels);
  set_labels(config, *setup.labels);
  setup.best_metric =
      options.run.best_metric == "auto"
          ? std::string(default_best_metric(setup.labels->problem_type()))
          : options.run.best_metric;
  check_best_metric(setup.best_metric, setup.labels->problem_type(),
                    setup.labels->num_labels());
  if (setup.checkpoint) {
    check_resumed_labels(setup.checkpoint->directory, config.labels);
  }
  loading.label_column = label_column(options, setup.labels->problem_type());
  setup.validation_data =
      load_other("validation", options.data.validation_data, setup, loading);
  setup.test_data = load_other("test", options.data.test_data, setup, loading);
  setup.total_steps = count_steps(options.optimizer, setup.train_data.size());
  warn_of_short_run(options, setup);
  setup.trainer = trainer_settings(options, setup.total_steps);
  setup.trainer.recomputation = std::move(recomputation);
  setup.trainer.loss.problem_type = setup.labels->problem_type();
  set_class_weights(options.optimizer.class_weights, setup, setup.trainer.loss);
  setup.classifier = make_classifier(options.model, config, setup.trainer.seed);
  if (!device.is_cpu()) setup.classifier->to(device);
  if (setup.communicator) {
    setup.communicator->await_all();
    setup.checkpoint =
        share_checkpoint(*setup.communicator, setup.checkpoint, checkpoints);
  }
  return setup;
}

}  // namespace longformer
