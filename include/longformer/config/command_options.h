// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/data_options.h"
#include "longformer/config/field.h"

namespace longformer {

/// How a trained model is run; shared by the commands that only use one.
struct InferenceOptions {
  std::int64_t max_length = 0;
  std::int64_t micro_batch_tokens = 16384;
  std::int64_t threads = 0;
  std::string devices = "auto";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&InferenceOptions::max_length,
          field("max_length",
                "Longer documents are cut to this, special tokens included; "
                "0: as much as the model allows.")
              .unit("tokens")
              .at_least(0));
    visit(&InferenceOptions::micro_batch_tokens,
          field("micro_batch_tokens",
                "Most tokens that a device works on at once (a longer "
                "document comes alone).")
              .unit("tokens")
              .range(1, 1e12));
    visit(&InferenceOptions::threads,
          field("threads", "CPU threads; 0: all that the process may use.")
              .unit("threads")
              .range(0, 4096));
    visit(&InferenceOptions::devices,
          field("devices",
                "auto (all GPUs, or the CPU if there is none), cpu, or GPU "
                "numbers such as 0,1."));
  }
};

struct EvaluateTask {
  std::string model;
  std::vector<std::string> data;
  std::string output = "-";
  std::string tokenizer;
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
    visit(&EvaluateTask::label_column,
          field("label_column", "Column (or JSON key) that holds the label."));
  }
};

/// Every option of `longformer evaluate`.
struct EvaluateOptions {
  EvaluateTask task;
  DataReadingOptions reading;
  InferenceOptions inference;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&EvaluateOptions::task, "Evaluation");
    group(&EvaluateOptions::reading, "Reading of data files");
    group(&EvaluateOptions::inference, "Computation");
  }
};

struct PredictTask {
  std::string model;
  std::vector<std::string> data;
  std::string output = "-";
  std::string tokenizer;
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
    visit(&PredictTask::logits,
          field("logits", "Also write the model's raw outputs."));
  }
};

/// Every option of `longformer predict`.
struct PredictOptions {
  PredictTask task;
  DataReadingOptions reading;
  InferenceOptions inference;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&PredictOptions::task, "Prediction");
    group(&PredictOptions::reading, "Reading of data files");
    group(&PredictOptions::inference, "Computation");
  }
};

enum class VocabularyType { kUnigram, kBpe };

template <>
struct EnumNames<VocabularyType> {
  static constexpr std::array<std::string_view, 2> names{"unigram", "bpe"};
};

/// Numbering of a SentencePiece vocabulary: XLM-R's (<s> 0, <pad> 1, </s> 2,
/// <unk> 3, <mask> last), which AutoTokenizer opens, or SentencePiece's own.
enum class VocabularyLayout { kXlmr, kPlain };

template <>
struct EnumNames<VocabularyLayout> {
  static constexpr std::array<std::string_view, 2> names{"xlmr", "plain"};
};

struct TokenizerTrainTask {
  std::vector<std::string> data;
  std::string output;
  std::int64_t vocab_size = 8000;
  VocabularyType model_type = VocabularyType::kUnigram;
  VocabularyLayout layout = VocabularyLayout::kXlmr;
  double character_coverage = 0.9995;
  std::int64_t threads = 0;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&TokenizerTrainTask::data,
          field("data",
                "Files with the texts: a file, a directory or a glob, or "
                "several of them.")
              .required());
    visit(&TokenizerTrainTask::output,
          field("output", "Directory for the tokenizer's files.").required());
    visit(&TokenizerTrainTask::vocab_size,
          field("vocab_size", "Pieces, special tokens included.")
              .unit("tokens")
              .range(16, 4e6));
    visit(&TokenizerTrainTask::model_type,
          field("model_type", "SentencePiece's kind of model."));
    visit(&TokenizerTrainTask::layout,
          field("layout",
                "Numbering of the ids: XLM-R's, which transformers opens as "
                "XLMRobertaTokenizer, or SentencePiece's own."));
    visit(&TokenizerTrainTask::character_coverage,
          field("character_coverage",
                "Share of the text's characters that get a piece; the rarest "
                "beyond it become unknown.")
              .range(0.5, 1));
    visit(&TokenizerTrainTask::threads,
          field("threads", "CPU threads; 0: all that the process may use.")
              .unit("threads")
              .range(0, 4096));
  }
};

/// Every option of `longformer tokenizer train`.
struct TokenizerTrainOptions {
  TokenizerTrainTask task;
  DataReadingOptions reading;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&TokenizerTrainOptions::task, "Vocabulary");
    group(&TokenizerTrainOptions::reading, "Reading of data files");
  }
};

struct TokenizerEncodeTask {
  std::string tokenizer;
  std::vector<std::string> data;
  std::string output = "-";
  std::int64_t max_length = 0;
  std::int64_t stride = 0;
  std::optional<bool> add_prefix_space;
  std::int64_t threads = 0;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&TokenizerEncodeTask::tokenizer,
          field("tokenizer", "Directory of the tokenizer.").required());
    visit(&TokenizerEncodeTask::data,
          field("data",
                "Files with the texts: a file, a directory or a glob, or "
                "several of them; - is standard input.")
              .required());
    visit(&TokenizerEncodeTask::output,
          field("output",
                "JSON lines with ids and offsets, one a row (one a window "
                "with stride); - is standard output."));
    visit(&TokenizerEncodeTask::max_length,
          field("max_length",
                "Longer texts are cut to this, special tokens included; 0: "
                "never.")
              .unit("tokens")
              .at_least(0));
    visit(&TokenizerEncodeTask::stride,
          field("stride",
                "Tokens that the next window of a cut text repeats; 0: only "
                "the first window is written.")
              .unit("tokens")
              .at_least(0));
    visit(&TokenizerEncodeTask::add_prefix_space,
          field("add_prefix_space",
                "Treat the first word like one after a blank; unset: what "
                "the tokenizer says. Byte-level BPE only."));
    visit(&TokenizerEncodeTask::threads,
          field("threads", "CPU threads; 0: all that the process may use.")
              .unit("threads")
              .range(0, 4096));
  }
};

/// Every option of `longformer tokenizer encode`.
struct TokenizerEncodeOptions {
  TokenizerEncodeTask task;
  DataReadingOptions reading;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&TokenizerEncodeOptions::task, "Encoding");
    group(&TokenizerEncodeOptions::reading, "Reading of data files");
  }
};

struct TokenizerDecodeTask {
  std::string tokenizer;
  std::vector<std::string> data;
  std::string output = "-";
  bool skip_special_tokens = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&TokenizerDecodeTask::tokenizer,
          field("tokenizer", "Directory of the tokenizer.").required());
    visit(&TokenizerDecodeTask::data,
          field("data",
                "JSON lines with ids, as tokenizer encode writes them; - is "
                "standard input.")
              .required());
    visit(&TokenizerDecodeTask::output,
          field("output",
                "JSON lines with text, one a row; - is standard output."));
    visit(&TokenizerDecodeTask::skip_special_tokens,
          field("skip_special_tokens", "Leave out tokens such as </s>."));
  }
};

/// Every option of `longformer tokenizer decode`.
struct TokenizerDecodeOptions {
  TokenizerDecodeTask task;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&TokenizerDecodeOptions::task, "Decoding");
  }
};

struct InspectTask {
  std::string path;
  std::string tokenizer;
  std::string label_column = "label";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&InspectTask::path,
          field("path",
                "A weight file, a model directory, a checkpoint or a data "
                "file.")
              .positional()
              .required());
    visit(&InspectTask::tokenizer,
          field("tokenizer",
                "Directory of the tokenizer that counts the tokens of a data "
                "file; empty: words are counted."));
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
  static constexpr std::array<std::string_view, 5> names{
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
