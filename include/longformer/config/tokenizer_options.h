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

enum class VocabularyType { kUnigram, kBpe };

template <>
struct EnumNames<VocabularyType> {
  static constexpr std::array<std::string_view, 2> kNames{"unigram", "bpe"};
};

/// Numbering of a SentencePiece vocabulary: XLM-R's (<s> 0, <pad> 1, </s> 2,
/// <unk> 3, <mask> last), which AutoTokenizer opens, or SentencePiece's own.
enum class VocabularyLayout { kXlmr, kPlain };

template <>
struct EnumNames<VocabularyLayout> {
  static constexpr std::array<std::string_view, 2> kNames{"xlmr", "plain"};
};

struct TokenizerTrainTask {
  std::vector<std::string> data;
  std::string output;
  std::int64_t vocab_size = 8000;
  VocabularyType model_type = VocabularyType::kUnigram;
  VocabularyLayout layout = VocabularyLayout::kXlmr;
  double character_coverage = 0.9995;

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
              .range(0.98, 1));
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

}  // namespace longformer
