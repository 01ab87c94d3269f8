// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/config/compute_options.h"
#include "longformer/config/data_options.h"
#include "longformer/config/exchange_options.h"
#include "longformer/config/field.h"
#include "longformer/config/launch_options.h"
#include "longformer/config/memory_options.h"
#include "longformer/config/model_options.h"
#include "longformer/config/optimizer_options.h"
#include "longformer/config/run_options.h"
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
  std::string token_cache = "auto";

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
    visit(&TrainDataOptions::token_cache,
          field("token_cache",
                "Folder that keeps the tokenised data for the next run: auto "
                "(token_cache in output_dir), none, or a folder that several "
                "runs share. It may be deleted at any time."));
  }
};

/// Every option of `longformer train`. Names are flat: the groups order the
/// code, the help and the documents only.
struct TrainOptions {
  TrainDataOptions data;
  DataReadingOptions reading;
  ModelOptions model;
  OptimizerOptions optimizer;
  ComputeOptions compute;
  MemoryOptions memory;
  LaunchOptions launch;
  ExchangeOptions exchange;
  RunOptions run;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&TrainOptions::data, "Data");
    group(&TrainOptions::reading, "Reading of data files");
    group(&TrainOptions::model, "Model");
    group(&TrainOptions::optimizer, "Training");
    group(&TrainOptions::compute, "Computation");
    group(&TrainOptions::memory, "Memory");
    group(&TrainOptions::launch, "Processes");
    group(&TrainOptions::exchange, "Exchange between processes");
    group(&TrainOptions::run, "Run");
  }
};

}  // namespace longformer
