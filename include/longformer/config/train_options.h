// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/class_weights.h"
#include "longformer/config/data_options.h"
#include "longformer/config/field.h"
#include "longformer/config/task.h"

namespace longformer {

/// Files to learn from and to measure on. A path may be a file, a directory or
/// a glob.
struct TrainDataOptions {
  std::vector<std::string> train_data;
  std::vector<std::string> validation_data;
  std::vector<std::string> test_data;
  std::string label_column = "label";
  ProblemTypeChoice problem_type = ProblemTypeChoice::kAuto;
  std::vector<std::string> labels;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&TrainDataOptions::train_data,
          field("train_data",
                "Files to learn from: a file, a directory or a glob, or "
                "several of them.")
              .required());
    visit(&TrainDataOptions::validation_data,
          field("validation_data",
                "Files that choose the best model and decide early stopping; "
                "empty: the last model is kept."));
    visit(
        &TrainDataOptions::test_data,
        field("test_data", "Files that the final model is measured on, once."));
    visit(&TrainDataOptions::label_column,
          field("label_column", "Column (or JSON key) that holds the label."));
    visit(&TrainDataOptions::problem_type,
          field("problem_type",
                "What a label is; auto decides once, from the training "
                "files, and prints it."));
    visit(&TrainDataOptions::labels,
          field("labels",
                "Names of the labels in the order of the model's outputs; "
                "empty: taken from the model, or from the training files in a "
                "stable order."));
  }
};

/// What is trained.
struct ModelOptions {
  std::string model;
  std::string architecture;
  std::string tokenizer;
  std::int64_t max_length = 0;
  std::int64_t attention_window = 0;
  PoolingChoice pooling = PoolingChoice::kAuto;
  std::optional<double> dropout;
  std::optional<double> initializer_range;
  bool reinit_head = false;
  bool allow_missing_weights = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&ModelOptions::model,
          field("model",
                "Directory of the model to start from (Hugging Face layout). "
                "Give this or architecture."));
    visit(&ModelOptions::architecture,
          field("architecture",
                "A config.json that describes a model to be trained from "
                "scratch. Give this or model."));
    visit(&ModelOptions::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer; empty: the model's directory. "
                "Rows with input_ids need none."));
    visit(&ModelOptions::max_length,
          field("max_length",
                "Longer documents are cut to this, special tokens included; "
                "0: as much as the model allows.")
              .unit("tokens")
              .at_least(0));
    visit(&ModelOptions::attention_window,
          field("attention_window",
                "Width of the attention window of every layer, both sides "
                "together, an even number; 0: the model's own.")
              .unit("tokens")
              .at_least(0));
    visit(&ModelOptions::pooling,
          field("pooling",
                "What the classification head reads: the first token (cls), "
                "the mean of the document, or what the model says (auto)."));
    visit(&ModelOptions::dropout,
          field("dropout",
                "Dropout of hidden states and of attention; unset: the "
                "model's own two values.")
              .range_below(0, 1));
    visit(&ModelOptions::initializer_range,
          field("initializer_range",
                "Standard deviation of new weights; unset: the model's own.")
              .range(0, 10));
    visit(&ModelOptions::reinit_head,
          field("reinit_head",
                "Start with a new classification head even if the model has "
                "one that fits."));
    visit(&ModelOptions::allow_missing_weights,
          field("allow_missing_weights",
                "Initialise encoder weights that the model's files lack "
                "instead of refusing the model."));
  }
};

/// Shape of the learning rate after warm-up: straight down to 0, half a cosine
/// down to 0, or level.
enum class Schedule { kLinear, kCosine, kConstant };

template <>
struct EnumNames<Schedule> {
  static constexpr std::array<std::string_view, 3> names{"linear", "cosine",
                                                         "constant"};
};

/// AdamW and its schedule (Loshchilov & Hutter 2019, arXiv:1711.05101), and
/// how much of the data one step sees.
struct OptimizerOptions {
  std::int64_t epochs = 3;
  std::int64_t max_steps = 0;
  std::int64_t batch_size = 32;
  std::int64_t micro_batch_tokens = 16384;
  double learning_rate = 3e-5;
  std::optional<double> embedding_learning_rate;
  Schedule schedule = Schedule::kLinear;
  std::int64_t warmup_steps = 0;
  double warmup_ratio = 0;
  double weight_decay = 0.01;
  double max_grad_norm = 1;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;
  double label_smoothing = 0;
  ClassWeights class_weights;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&OptimizerOptions::epochs,
          field("epochs",
                "Passes over the training data. Training ends at epochs or "
                "at max_steps, whichever comes first.")
              .unit("epochs")
              .range(1, 1e6));
    visit(&OptimizerOptions::max_steps,
          field("max_steps",
                "Optimizer steps after which training ends and for which the "
                "schedule is laid out, if that is before the last epoch; 0: "
                "no limit.")
              .unit("steps")
              .at_least(0));
    visit(&OptimizerOptions::batch_size,
          field("batch_size",
                "Documents of one optimizer step, over all devices together.")
              .unit("documents")
              .range(1, 1e9));
    visit(&OptimizerOptions::micro_batch_tokens,
          field("micro_batch_tokens",
                "Most tokens that a device works on at once (a longer "
                "document comes alone). Changes memory and speed, not the "
                "result.")
              .unit("tokens")
              .range(1, 1e12));
    visit(&OptimizerOptions::learning_rate,
          field("learning_rate",
                "Peak learning rate, reached at the end of warm-up.")
              .range(0, 10));
    visit(&OptimizerOptions::embedding_learning_rate,
          field("embedding_learning_rate",
                "Peak learning rate of the word embeddings; unset: "
                "learning_rate.")
              .range(0, 10));
    visit(&OptimizerOptions::schedule,
          field("schedule", "Course of the learning rate after warm-up."));
    visit(&OptimizerOptions::warmup_steps,
          field("warmup_steps",
                "Steps in which the learning rate rises from 0. Give this or "
                "warmup_ratio.")
              .unit("steps")
              .at_least(0));
    visit(&OptimizerOptions::warmup_ratio,
          field("warmup_ratio",
                "The same as a share of all steps. Give this or "
                "warmup_steps.")
              .range(0, 1));
    visit(&OptimizerOptions::weight_decay,
          field("weight_decay",
                "Decay of weights a step, times the learning rate; biases "
                "and LayerNorm do not decay.")
              .range(0, 10));
    visit(&OptimizerOptions::max_grad_norm,
          field("max_grad_norm",
                "Gradients are scaled down to this norm; 0: never.")
              .at_least(0));
    visit(
        &OptimizerOptions::adam_beta1,
        field("adam_beta1", "Memory of the mean gradient.").range_below(0, 1));
    visit(&OptimizerOptions::adam_beta2,
          field("adam_beta2", "Memory of the mean squared gradient.")
              .range_below(0, 1));
    visit(
        &OptimizerOptions::adam_epsilon,
        field("adam_epsilon", "Added to the root of the mean squared gradient.")
            .range(0, 1));
    visit(&OptimizerOptions::label_smoothing,
          field("label_smoothing",
                "Share of every target that is spread evenly over all "
                "labels; single-label classification only.")
              .range_below(0, 1));
    visit(&OptimizerOptions::class_weights,
          field("class_weights",
                "Weight of every class in the loss: none, balanced (inverse "
                "to its frequency in the training files), or one number a "
                "class in the order of the labels.")
              .range(0, 1e6));
  }
};

/// Where and how the run is carried out, observed and saved.
struct RunOptions {
  std::string output_dir;
  std::int64_t seed = 42;
  bool shuffle = true;
  std::int64_t threads = 0;
  std::string devices = "auto";
  std::int64_t validate_every = 0;
  std::string best_metric = "auto";
  std::int64_t early_stopping_patience = 0;
  std::int64_t checkpoint_every = 0;
  std::int64_t keep_checkpoints = 2;
  std::string resume = "none";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&RunOptions::output_dir,
          field("output_dir",
                "Directory for the model, checkpoints, metrics and the copy "
                "of these options.")
              .required());
    visit(&RunOptions::seed,
          field("seed",
                "Any whole number; decides shuffling, dropout and new "
                "weights."));
    visit(&RunOptions::shuffle,
          field("shuffle",
                "Visit the documents of an epoch in a random order instead "
                "of the files'."));
    visit(&RunOptions::threads,
          field("threads", "CPU threads; 0: all that the process may use.")
              .unit("threads")
              .range(0, 4096));
    visit(&RunOptions::devices,
          field("devices",
                "auto (all GPUs, or the CPU if there is none), cpu, or GPU "
                "numbers such as 0,1."));
    visit(&RunOptions::validate_every,
          field("validate_every",
                "Measure on the validation data after so many steps; 0: "
                "after every epoch.")
              .unit("steps")
              .at_least(0));
    visit(&RunOptions::best_metric,
          field("best_metric",
                "Metric of the validation data that chooses the best model; "
                "auto: f1_macro, or loss for regression."));
    visit(&RunOptions::early_stopping_patience,
          field("early_stopping_patience",
                "Stop after so many validations without a better value of "
                "best_metric; 0: never.")
              .unit("validations")
              .at_least(0));
    visit(&RunOptions::checkpoint_every,
          field("checkpoint_every",
                "Save a checkpoint after so many steps; 0: after every "
                "epoch.")
              .unit("steps")
              .at_least(0));
    visit(&RunOptions::keep_checkpoints,
          field("keep_checkpoints",
                "Newest checkpoints that are kept; older ones are deleted.")
              .unit("checkpoints")
              .range(1, 1e6));
    visit(&RunOptions::resume,
          field("resume",
                "none, auto (continue from the newest complete checkpoint in "
                "output_dir, or start if there is none), or the directory of "
                "a checkpoint."));
  }
};

/// Every option of `longformer train`. Names are flat: the groups order the
/// code, the help and the documents only.
struct TrainOptions {
  TrainDataOptions data;
  DataReadingOptions reading;
  ModelOptions model;
  OptimizerOptions optimizer;
  RunOptions run;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&TrainOptions::data, "Data");
    group(&TrainOptions::reading, "Reading of data files");
    group(&TrainOptions::model, "Model");
    group(&TrainOptions::optimizer, "Training");
    group(&TrainOptions::run, "Run");
  }
};

}  // namespace longformer
