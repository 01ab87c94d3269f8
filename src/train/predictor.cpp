// SPDX-License-Identifier: MIT
#include "longformer/train/predictor.h"

#include <exception>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/base/threads.h"
#include "longformer/data/dataset.h"
#include "longformer/data/lost_globals.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/evaluator.h"
#include "longformer/train/multi_label_metrics.h"
#include "longformer/train/single_label_metrics.h"

#include "dataset_sharing.h"

namespace longformer {
namespace {

/// Text that is tokenised and answered at one time.
constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;

/// What rank 0 tells those that help it.
constexpr const char* kMore = "more";
constexpr const char* kDone = "done";

/// A record of a block, encoded or refused.
struct Encoded {
  EncodedDocument document;
  std::string error;
};

class Predictor {
 public:
  Predictor(LongformerClassifier& classifier, const Tokenizer* tokenizer,
            const LabelMap& labels, RecordReader& reader,
            const PredictionSettings& settings, Communicator* communicator)
      : communicator_(communicator),
        classifier_(classifier),
        tokenizer_(tokenizer),
        labels_(labels),
        reader_(reader),
        settings_(settings),
        encode_(encode_options(classifier.config(), settings.max_length,
                               tokenizer)) {}

  PredictionCounts run(const std::function<void(std::string_view)>& write) {
    PredictionCounts counts;
    std::vector<Record> records;
    while (reader_.next_block(records, kBlockBytes, settings_.threads)) {
      std::vector<Encoded> encoded = encode(records);
      const std::exception_ptr failure = reject_refused(records, encoded);
      const Dataset dataset = collect(records, encoded);
      const Answers answers = answer_all(dataset);
      std::int64_t row = 0;
      for (std::size_t i = 0; i < records.size(); ++i) {
        ++counts.rows;
        if (!encoded[i].error.empty()) {
          write(error_line(records[i], encoded[i].error));
          continue;
        }
        counts.truncated += dataset.cut_tokens(row) > 0 ? 1 : 0;
        write(answer_line(records[i], dataset, answers, row++));
      }
      if (failure != nullptr) std::rethrow_exception(failure);
    }
    tell_helpers(kDone);
    counts.bad_rows = reader_.bad_rows();
    lost_globals_.warn();
    return counts;
  }

 private:
  std::vector<Encoded> encode(const std::vector<Record>& records) const {
    std::vector<Encoded> encoded(records.size());
    parallel_parts(static_cast<std::int64_t>(records.size()), 1,
                   settings_.threads,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       encoded[at].error = records[at].error;
                       if (!encoded[at].error.empty()) continue;
                       try {
                         encoded[at].document =
                             encode_document(records[at], tokenizer_, encode_);
                       } catch (const DataError& error) {
                         encoded[at].error = error.what();
                       }
                     }
                   });
    return encoded;
  }

  /// Counts what was refused here, not by the reader, as it would be there. If
  /// a row is one too many, returns that error; the rows before it stay, to be
  /// answered first.
  std::exception_ptr reject_refused(std::vector<Record>& records,
                                    std::vector<Encoded>& encoded) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (encoded[i].error.empty() || !records[i].error.empty()) continue;
      try {
        reader_.reject(records[i].position, encoded[i].error);
      } catch (const DataError&) {
        records.resize(i);
        encoded.resize(i);
        return std::current_exception();
      }
    }
    return nullptr;
  }

  Dataset collect(const std::vector<Record>& records,
                  const std::vector<Encoded>& encoded) {
    DatasetBuilder builder(reader_.files(), encode_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (encoded[i].error.empty()) {
        builder.add(encoded[i].document, {}, records[i].position);
        lost_globals_.add(encoded[i].document);
      }
    }
    return builder.finish();
  }

  Answers answer_all(Dataset dataset) {
    tell_helpers(kMore);
    if (communicator_ != nullptr) {
      share_dataset(*communicator_, "", encode_, dataset);
    }
    return answer(classifier_, dataset, labels_.problem_type(),
                  settings_.micro_batch_tokens, communicator_);
  }

  void tell_helpers(const char* word) {
    if (communicator_ == nullptr) return;
    communicator_->await_all();  // The input may have come slowly.
    communicator_->broadcast(word, 0);
  }

  std::string error_line(const Record& record, const std::string& why) const {
    Json line = Json::object();
    if (record.id) line["id"] = *record.id;
    line["error"] = reader_.describe(record.position) + ": " + why;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  std::string answer_line(const Record& record, const Dataset& dataset,
                          const Answers& answers, std::int64_t row) const {
    const auto labels = static_cast<std::size_t>(answers.num_labels);
    const std::span<const double> logits =
        std::span(answers.logits)
            .subspan(static_cast<std::size_t>(row) * labels, labels);
    Json line = Json::object();
    if (record.id) line["id"] = *record.id;
    add_answer(probabilities(logits, labels_.problem_type()), line);
    if (settings_.logits) {
      line["logits"] = std::vector<double>(logits.begin(), logits.end());
    }
    line["tokens"] = dataset.length(row);
    line["truncated"] = dataset.cut_tokens(row) > 0;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  void add_answer(const std::vector<double>& scores, Json& line) const {
    if (labels_.problem_type() == ProblemType::kRegression) {
      if (scores.size() == 1) {
        line["label"] = scores[0];
      } else {
        line["label"] = scores;
      }
      return;
    }
    if (labels_.problem_type() == ProblemType::kSingleLabel) {
      line["label"] = labels_.json_name(most_probable_class(scores));
    } else {
      line["labels"] = Json::array();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (is_label_predicted(scores[i])) {
          line["labels"].push_back(
              labels_.json_name(static_cast<std::int64_t>(i)));
        }
      }
    }
    Json& table = line["probabilities"] = Json::object();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      table[labels_.names()[i]] = scores[i];
    }
  }

  Communicator* communicator_;
  LongformerClassifier& classifier_;
  const Tokenizer* tokenizer_;
  const LabelMap& labels_;
  RecordReader& reader_;
  PredictionSettings settings_;
  EncodeOptions encode_;
  LostGlobals lost_globals_;
};

}  // namespace

PredictionCounts predict(LongformerClassifier& classifier,
                         const Tokenizer* tokenizer, const LabelMap& labels,
                         RecordReader& reader,
                         const PredictionSettings& settings,
                         const std::function<void(std::string_view)>& write,
                         Communicator* communicator) {
  return Predictor(classifier, tokenizer, labels, reader, settings,
                   communicator)
      .run(write);
}

void help_predict(LongformerClassifier& classifier, const Tokenizer* tokenizer,
                  const PredictionSettings& settings,
                  Communicator& communicator) {
  const EncodeOptions encode =
      encode_options(classifier.config(), settings.max_length, tokenizer);
  while (true) {
    communicator.await_all();
    if (communicator.broadcast("", 0) == kDone) return;
    Dataset dataset;
    share_dataset(communicator, "", encode, dataset);
    answer(classifier, dataset, problem_type_of(classifier.config()),
           settings.micro_batch_tokens, &communicator);
  }
}

}  // namespace longformer
