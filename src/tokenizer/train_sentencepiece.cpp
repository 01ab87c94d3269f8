// SPDX-License-Identifier: MIT
#include "longformer/tokenizer/train_sentencepiece.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <exception>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sentencepiece_trainer.h>

#include "longformer/base/error.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "saved_config.h"
#include "sentencepiece_model.h"
#include "training_lines.h"
#include "unigram_definition.h"
#include "white_space_rules.h"

namespace longformer {
namespace {

/// The library adds up sums in as many parts as it has threads, and a sum
/// depends on its parts: a fixed number makes results equal on all machines.
constexpr int kTrainerThreads = 8;

/// The library accepts no less.
constexpr double kLeastCoverage = 0.98;

/// Tokens of XLM-R's layout that the library does not count: <pad>, <mask>.
constexpr std::int64_t kAddedByXlmr = 2;

/// Feeds the lines of the texts to the library.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(const TextSource& next_text) : next_text_(next_text) {
    fill();
  }

  bool done() const override { return lines_.empty(); }
  const std::string& value() const override { return lines_.front(); }
  sentencepiece::util::Status status() const override {
    return failure_ == nullptr
               ? sentencepiece::util::Status()
               : sentencepiece::util::Status(
                     sentencepiece::util::StatusCode::kInternal, "no text");
  }
  void Next() override {
    lines_.pop_front();
    fill();
  }

  /// What next_text threw; the library does not let exceptions through.
  std::exception_ptr failure() const { return failure_; }
  bool had_lines() const { return had_lines_; }

 private:
  void fill() {
    try {
      while (lines_.empty() && failure_ == nullptr && next_text_(text_)) {
        append_training_lines(text_, lines_);
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    had_lines_ = had_lines_ || !lines_.empty();
  }

  const TextSource& next_text_;
  std::string text_;
  std::deque<std::string> lines_;
  std::exception_ptr failure_;
  bool had_lines_ = false;
};

void check_settings(const SentencePieceTraining& settings) {
  if (settings.model_type != "unigram" && settings.model_type != "bpe") {
    throw ConfigError("model_type must be unigram or bpe, found \"" +
                      settings.model_type + "\"");
  }
  if (settings.xlmr_layout && settings.model_type != "unigram") {
    throw ConfigError(
        "model_type bpe cannot have the layout xlmr, because "
        "transformers reads every vocabulary of that layout as "
        "unigram and would give other ids; use unigram, or the "
        "layout plain");
  }
  if (settings.vocabulary_size < 6 || settings.vocabulary_size > 4'000'000) {
    throw ConfigError("a vocabulary of " +
                      std::to_string(settings.vocabulary_size) +
                      " tokens cannot be trained; use 6 to 4000000");
  }
  if (!(settings.character_coverage >= kLeastCoverage &&
        settings.character_coverage <= 1)) {
    throw ConfigError("character_coverage must be 0.98 to 1");
  }
}

/// Adds normalisation rules to a serialized model that has none. In protocol
/// buffers a nested message (here field 3, the normaliser; its field 2 are the
/// rules) that comes twice is one message with the fields of both.
void append_rules(const std::string& rules, std::string& model) {
  const auto add_field = [](int number, const std::string& content,
                            std::string& out) {
    out += static_cast<char>(number << 3 | 2);
    std::size_t size = content.size();
    for (; size >= 0x80; size >>= 7) {
      out += static_cast<char>((size & 0x7F) | 0x80);
    }
    out += static_cast<char>(size);
    out += content;
  };
  std::string normalizer;
  add_field(2, rules, normalizer);
  add_field(3, normalizer, model);
}

std::unordered_map<std::string, std::string> trainer_arguments(
    const SentencePieceTraining& settings) {
  const std::int64_t pieces =
      settings.vocabulary_size - (settings.xlmr_layout ? kAddedByXlmr : 0);
  const std::int64_t lines =
      settings.max_lines > 0
          ? settings.max_lines
          : std::max<std::int64_t>(100'000, 25 * settings.vocabulary_size);
  return {
      {"model_type", settings.model_type},
      {"vocab_size", std::to_string(pieces)},
      {"character_coverage", std::to_string(settings.character_coverage)},
      {"input_sentence_size", std::to_string(lines)},
      {"shuffle_input_sentence", "true"},
      {"max_sentence_length", std::to_string(2 * kLongestTrainingLine)},
      {"num_threads", std::to_string(kTrainerThreads)},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", settings.xlmr_layout ? "-1" : "3"},
      {"normalization_rule_name", "identity"},
      {"minloglevel", "3"},
  };
}

/// The whole number behind the last `words` in `text`.
std::optional<std::int64_t> number_behind(std::string_view text,
                                          std::string_view words) {
  const std::size_t at = text.rfind(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* begin = text.data() + at + words.size();
  const auto end = std::from_chars(begin, text.data() + text.size(), number);
  if (end.ec != std::errc()) return std::nullopt;
  return number;
}

/// Says in our words what the library's error, a place in its source and a
/// condition, means for the options.
[[noreturn]] void refuse_size(const SentencePieceTraining& settings,
                              const std::string& reason) {
  const std::int64_t added = settings.xlmr_layout ? kAddedByXlmr : 0;
  const std::string size =
      "vocab_size: " + std::to_string(settings.vocabulary_size) +
      " tokens are too ";
  if (const auto most = number_behind(reason, "value <= ")) {
    const std::string limit = std::to_string(*most + added);
    throw ConfigError(size + "many for " + settings.text_name +
                      ", which give at most " + limit + "; ask for at most " +
                      limit + ", or train on more text");
  }
  if (const auto least = number_behind(reason, " vs ")) {
    const std::string limit = std::to_string(*least + added);
    throw ConfigError(size + "few for the characters of " + settings.text_name +
                      ", which take " + limit + "; ask for at least " + limit +
                      ", or lower character_coverage");
  }
  // What is left behind the place and the condition, both in brackets.
  const std::size_t bracket = reason.rfind("] ");
  const std::string rest =
      bracket == std::string::npos ? reason : reason.substr(bracket + 2);
  throw ConfigError("a vocabulary of " +
                    std::to_string(settings.vocabulary_size) +
                    " tokens could not be trained on " + settings.text_name +
                    (rest.empty() ? "" : " (" + rest + ")") +
                    "; try another vocab_size, or more text");
}

std::string train_model(const SentencePieceTraining& settings,
                        const TextSource& next_text) {
  LineIterator lines(next_text);
  std::string model;
  std::string reason;
  try {
    sentencepiece::SetRandomGeneratorSeed(0);
    const auto status = sentencepiece::SentencePieceTrainer::Train(
        trainer_arguments(settings), &lines, &model);
    if (!status.ok()) reason = status.ToString();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (lines.failure() != nullptr) std::rethrow_exception(lines.failure());
  if (!lines.had_lines()) {
    throw DataError(settings.text_name +
                    ": there is no text to train a vocabulary on; check the "
                    "files and text_column");
  }
  if (!reason.empty()) refuse_size(settings, reason);
  append_rules(white_space_charsmap(), model);
  return model;
}

}  // namespace

void train_sentencepiece(const SentencePieceTraining& settings,
                         const TextSource& next_text,
                         const std::string& directory) {
  check_settings(settings);
  recover_leftovers_of(directory);
  AtomicDirectory written(directory);
  const std::string model = train_model(settings, next_text);

  SavedConfig config;
  config.model_max_length = settings.model_max_length;
  std::vector<TokenizerFile> files;
  if (settings.xlmr_layout) {
    config.tokenizer_class = "XLMRobertaTokenizer";
    files.push_back({"sentencepiece.bpe.model", model});
    files.push_back(
        {"tokenizer.json",
         xlmr_tokenizer_json(parse_sentencepiece_model(model, directory))});
  } else {
    files.push_back({"spiece.model", model});
  }
  complete_tokenizer_config(config, files);
  for (const TokenizerFile& file : files) {
    write_file_atomically(join_path(written.path(), file.name), file.content);
  }
  written.commit();
}

}  // namespace longformer
