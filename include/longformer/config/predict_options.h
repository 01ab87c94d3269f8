// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/config/compute_options.h"
#include "longformer/config/data_options.h"
#include "longformer/config/field.h"
#include "longformer/config/launch_options.h"

namespace longformer {

struct EvaluateTask {
  std::string model;
  std::vector<std::string> data;
  std::string output = "-";
  std::string tokenizer;
  std::int64_t max_length = 0;
  std::string label_column = "label";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&EvaluateTask::model,
          field("model", "Directory of the model (Hugging Face layout).")
              .required());
    visit(&EvaluateTask::data,
          field("data",
                "Labelled files: a file, a directory or a glob, or several "
                "of them.")
              .required());
    visit(&EvaluateTask::output,
          field("output", "JSON file for the metrics; - is standard output."));
    visit(&EvaluateTask::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer; empty: the model's directory."));
    visit(&EvaluateTask::max_length,
          field("max_length",
                "Longer documents are cut to this, special tokens included; "
                "0: as much as the model and its tokenizer's "
                "model_max_length allow.")
              .unit("tokens")
              .at_least(0));
    visit(&EvaluateTask::label_column,
          field("label_column", "Column (or JSON key) that holds the label."));
  }
};

/// Every option of `longformer evaluate`.
struct EvaluateOptions {
  EvaluateTask task;
  DataReadingOptions reading;
  ComputeOptions compute;
  LaunchOptions launch;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&EvaluateOptions::task, "Evaluation");
    group(&EvaluateOptions::reading, "Reading of data files");
    group(&EvaluateOptions::compute, "Computation");
    group(&EvaluateOptions::launch, "Processes");
  }
};

struct PredictTask {
  std::string model;
  std::vector<std::string> data;
  std::string output = "-";
  std::string tokenizer;
  std::int64_t max_length = 0;
  bool logits = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&PredictTask::model,
          field("model", "Directory of the model (Hugging Face layout).")
              .required());
    visit(&PredictTask::data,
          field("data",
                "Files to label: a file, a directory or a glob, or several "
                "of them; - is standard input.")
              .required());
    visit(&PredictTask::output,
          field("output",
                "JSON lines, one for every row of the input in its order; - "
                "is standard output."));
    visit(&PredictTask::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer; empty: the model's directory."));
    visit(&PredictTask::max_length,
          field("max_length",
                "Longer documents are cut to this, special tokens included; "
                "0: as much as the model and its tokenizer's "
                "model_max_length allow.")
              .unit("tokens")
              .at_least(0));
    visit(&PredictTask::logits,
          field("logits", "Also write the model's raw outputs."));
  }
};

/// Every option of `longformer predict`.
struct PredictOptions {
  PredictTask task;
  DataReadingOptions reading;
  ComputeOptions compute;
  LaunchOptions launch;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&PredictOptions::task, "Prediction");
    group(&PredictOptions::reading, "Reading of data files");
    group(&PredictOptions::compute, "Computation");
    group(&PredictOptions::launch, "Processes");
  }
};

}  // namespace longformer
