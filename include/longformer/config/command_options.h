// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "longformer/config/data_options.h"
#include "longformer/config/field.h"
#include "longformer/config/predict_options.h"
#include "longformer/config/tokenizer_options.h"

namespace longformer {

struct InspectTask {
  std::string path;
  std::string tokenizer;
  std::string label_column = "label";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&InspectTask::path,
          field("path",
                "A weight file, a model directory, a checkpoint, the output "
                "folder of a run or a data file.")
              .positional()
              .required());
    visit(&InspectTask::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer that counts the tokens of a data "
                "file; empty: characters are counted."));
    visit(&InspectTask::label_column,
          field("label_column", "Column (or JSON key) that holds the label."));
  }
};

/// Every option of `longformer inspect`.
struct InspectOptions {
  InspectTask task;
  DataReadingOptions reading;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&InspectOptions::task, "Inspection");
    group(&InspectOptions::reading, "Reading of data files");
  }
};

/// Type of the weights that are written; kAuto keeps what is found.
enum class WeightType { kAuto, kFloat64, kFloat32, kFloat16, kBFloat16 };

template <>
struct EnumNames<WeightType> {
  static constexpr std::array<std::string_view, 5> kNames{
      "auto", "float64", "float32", "float16", "bfloat16"};
};

struct ConvertTask {
  std::string input;
  std::string output;
  std::int64_t attention_window = 0;
  std::int64_t max_positions = 0;
  WeightType dtype = WeightType::kAuto;
  std::int64_t shard_size = 0;
  bool one_sided_window = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&ConvertTask::input,
          field("input", "Model directory or weight file to read.").required());
    visit(&ConvertTask::output,
          field("output", "Directory for the converted model.").required());
    visit(&ConvertTask::attention_window,
          field("attention_window",
                "Width of the attention window of every layer, both sides "
                "together, an even number; 0: the model's own.")
              .unit("tokens")
              .at_least(0));
    visit(&ConvertTask::max_positions,
          field("max_positions",
                "Longest document of the new model; its position table is "
                "tiled from the old one; 0: the model's own.")
              .unit("tokens")
              .at_least(0));
    visit(&ConvertTask::dtype,
          field("dtype",
                "Type of the weights that are written; auto: as "
                "found."));
    visit(&ConvertTask::shard_size,
          field("shard_size", "Largest weight file; 0: one file.")
              .unit("bytes")
              .at_least(0));
    visit(&ConvertTask::one_sided_window,
          field("one_sided_window",
                "The input's attention_window counts one side only (the "
                "original code of AI2) and is doubled."));
  }
};

/// Every option of `longformer convert`.
struct ConvertOptions {
  ConvertTask task;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&ConvertOptions::task, "Conversion");
  }
};

}  // namespace longformer
