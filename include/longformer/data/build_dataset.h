// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "longformer/data/dataset.h"
#include "longformer/data/record_reader.h"

namespace longformer {

/// Reads all records and tokenises them on up to `threads` threads; the order
/// of the file is kept and the result does not depend on `threads`.
///
/// `tokenizer` may be null when every record carries input_ids. Rows that
/// cannot be encoded are counted as bad rows of the reader. Targets are not set
/// yet (see Dataset::collect_labels and set_targets).
///
/// `between_blocks`, if given, is called after every few megabytes of text, for
/// progress; an exception out of it ends the work (a stop signal).
///
/// Throws ConfigError (check_encode_options), DataError (also when there is no
/// usable row at all).
/// Memory: the data set plus about 64 MiB of text in flight.
Dataset build_dataset(RecordReader& reader, const Tokenizer* tokenizer,
                      const EncodeOptions& options, int threads,
                      const std::function<void()>& between_blocks = {});

}  // namespace longformer
