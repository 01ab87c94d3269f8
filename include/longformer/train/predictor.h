// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "longformer/data/label_map.h"
#include "longformer/data/record_reader.h"
#include "longformer/distributed/communicator.h"
#include "longformer/model/classifier.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

struct PredictionSettings {
  std::int64_t max_length = 0;  ///< 0: all that the model can take.
  std::int64_t micro_batch_tokens = 16384;
  int threads = 1;
  bool logits = false;  ///< Also write the model's raw outputs.
};

struct PredictionCounts {
  std::int64_t rows = 0;
  std::int64_t truncated = 0;
  std::int64_t bad_rows = 0;
};

/// Answers every record of `reader`, in order, with one line of JSON handed to
/// `write` (with its newline):
///
///   {"id": ..., "label": "spam", "probabilities": {"ham": 0.1, "spam": 0.9},
///    "tokens": 812, "truncated": false}
///
/// Multi-label: "labels" is the list of those with probability >= 0.5.
/// Regression: "label" is the number (a list if there are several) and there
/// are no probabilities. A row that cannot be read, within max_bad_rows, gives
/// {"error": "file:line: ..."}.
///
/// When the input ends in an error, the rows before it have been answered; rows
/// of a pipe are answered as they arrive. Answers may differ in the last digits
/// by the rows that are computed together.
///
/// Memory does not grow with the number of rows. The reader must have been
/// made with keep_bad_rows.
///
/// `communicator`: the ranks that share the work, null if there are none. This
/// is rank 0; the others call help_predict().
PredictionCounts predict(LongformerClassifier& classifier,
                         const Tokenizer* tokenizer, const LabelMap& labels,
                         RecordReader& reader,
                         const PredictionSettings& settings,
                         const std::function<void(std::string_view)>& write,
                         Communicator* communicator = nullptr);

/// Computes a share of what rank 0 predicts, until it is done. The same model
/// and settings as there.
void help_predict(LongformerClassifier& classifier, const Tokenizer* tokenizer,
                  const PredictionSettings& settings,
                  Communicator& communicator);

}  // namespace longformer
