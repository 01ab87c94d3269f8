// SPDX-License-Identifier: MIT
#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/config/tokenizer_options.h"
#include "longformer/data/input_files.h"
#include "longformer/data/record_reader.h"
#include "longformer/tokenizer/train_sentencepiece.h"

#include "command_start.h"
#include "commands.h"

namespace longformer {

ExitCode tokenizer_train_command(const Arguments& arguments) {
  const auto options = start_command<TokenizerTrainOptions>(
      "tokenizer train", "Trains a SentencePiece vocabulary.", arguments);
  if (!options) return ExitCode::kSuccess;
  const TokenizerTrainTask& task = options->task;
  ReaderSettings settings;
  settings.reading = options->reading;
  settings.label_column.clear();
  const std::vector<std::string> files = expand_inputs(task.data);
  RecordReader reader(files, settings);
  Record record;
  std::string pair;
  const TextSource next_text = [&](std::string& text) {
    if (!pair.empty()) {
      text = std::exchange(pair, {});
      return true;
    }
    if (!reader.next(record)) return false;
    text = std::move(record.text);
    if (record.text_pair) pair = std::move(*record.text_pair);
    return true;
  };
  SentencePieceTraining training;
  training.text_name = files[0];
  if (files.size() > 1) {
    training.text_name +=
        " and " + std::to_string(files.size() - 1) + " more files";
  }
  training.vocabulary_size = task.vocab_size;
  training.model_type =
      task.model_type == VocabularyType::kUnigram ? "unigram" : "bpe";
  training.character_coverage = task.character_coverage;
  training.xlmr_layout = task.layout == VocabularyLayout::kXlmr;
  train_sentencepiece(training, next_text, task.output);
  log_info("the tokenizer is in " + task.output);
  return ExitCode::kSuccess;
}

}  // namespace longformer
