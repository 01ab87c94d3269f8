// SPDX-License-Identifier: MIT
#include "longformer/data/build_dataset.h"

#include <string>
#include <utility>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/base/threads.h"

namespace longformer {
namespace {

constexpr std::int64_t kBlockBytes = 16 << 20;

/// A record's ids, or why it has none.
struct Outcome {
  EncodedDocument document;
  std::string problem;
};

std::vector<Outcome> encode_all(const std::vector<Record>& records,
                                const Tokenizer* tokenizer,
                                const EncodeOptions& options, int threads) {
  std::vector<Outcome> outcomes(records.size());
  const auto encode = [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin);
         i < static_cast<std::size_t>(end); ++i) {
      if (!records[i].error.empty()) continue;
      try {
        outcomes[i].document = encode_document(records[i], tokenizer, options);
      } catch (const DataError& error) {
        outcomes[i].problem = error.what();
      }
    }
  };
  parallel_parts(static_cast<std::int64_t>(records.size()), /*grain=*/1,
                 threads, encode);
  return outcomes;
}

}  // namespace

Dataset build_dataset(RecordReader& reader, const Tokenizer* tokenizer,
                      const EncodeOptions& options, int threads,
                      const std::function<void()>& between_blocks) {
  check_encode_options(options);
  DatasetBuilder builder(reader.files(), options);
  std::vector<Record> records;
  while (reader.next_block(records, kBlockBytes, threads)) {
    const auto outcomes = encode_all(records, tokenizer, options, threads);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!records[i].error.empty()) continue;  // Counted by the reader.
      if (outcomes[i].problem.empty()) {
        builder.add(outcomes[i].document, records[i].label,
                    records[i].position);
      } else {
        reader.reject(records[i].position, outcomes[i].problem);
      }
    }
    if (between_blocks) between_blocks();
  }
  if (builder.size() == 0) {
    const auto& files = reader.files();
    throw DataError(
        (files.empty() ? std::string("no file") : files[0]) +
        (files.size() > 1
             ? " and " + std::to_string(files.size() - 1) + " more files"
             : std::string()) +
        ": there is no usable row (" + std::to_string(reader.bad_rows()) +
        " unusable ones); check the path and the format");
  }
  return builder.finish();
}

}  // namespace longformer
