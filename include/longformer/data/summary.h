// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/data/record_reader.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// What `inspect` tells about data files.
struct DataSummary {
  std::int64_t documents = 0;
  std::int64_t bad_rows = 0;
  std::int64_t replaced_sequences = 0;  ///< Ill-formed UTF-8, see the reader.
  /// "tokens" (special ones included) or, without tokenizer, "characters".
  std::string unit;
  std::int64_t total_length = 0;
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::string longest_at;  ///< "file:line:column".
  /// (percent, length): that share of the documents is at most so long.
  std::vector<std::pair<int, std::int64_t>> percentiles;
  /// Documents without a label.
  std::int64_t unlabelled = 0;
  std::string label_description;  ///< Empty without labels.
  /// Most frequent first; not for numbers.
  std::vector<std::pair<std::string, std::int64_t>> label_counts;
};

/// Reads everything. Memory: 8 bytes a document and the distinct labels.
/// Throws what the reader throws.
DataSummary summarize(RecordReader& reader, const Tokenizer* tokenizer,
                      int threads);

Json to_json(const DataSummary& summary);
/// A few lines for a terminal.
std::string to_text(const DataSummary& summary);

}  // namespace longformer
