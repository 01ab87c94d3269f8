// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "longformer/config/data_options.h"
#include "longformer/data/record.h"

namespace longformer {

/// What a RecordReader does with its files.
struct ReaderSettings {
  /// Columns, format, dialect, encoding, max_bad_rows.
  ///
  /// Format auto goes by the name's ending, then by the first bytes. Delimiter
  /// auto: the one that makes the header line hold the columns; quote auto:
  /// `"`, or none for tab-separated files that break the rules of quoting.
  /// Encoding auto: UTF-8, or UTF-16 with a byte order mark; Latin-1 and UTF-16
  /// without mark are recognised and refused with advice. With utf-8 given,
  /// ill-formed bytes become U+FFFD and are counted, whatever the file is.
  DataReadingOptions reading;
  /// Empty: labels are not read.
  std::string label_column = "label";
  /// Rows must have a label (training, evaluation); else it is read if there
  /// is one that makes sense.
  bool require_label = false;
  /// A label that is an empty text is no label, unless this is set
  /// (multi-label: none of the labels applies).
  bool allow_empty_label = false;
  /// Hands out unusable rows too, with Record::error set (prediction answers
  /// every input row). They still count.
  bool keep_bad_rows = false;
};

/// Reads the records of a list of files one after another. Memory does not grow
/// with the number of rows; one row must fit.
///
/// JSON: objects only, one a line (blank lines are skipped) or elements of one
/// array. Keys `input_ids`, `global_attention` (positions),
/// `global_attention_mask` (0 and 1), `attention_mask` (may only mark padding
/// at the end, which is dropped) and `token_type_ids` are read beside the
/// columns; other keys are ignored. CSV and TSV: RFC 4180 with a header line;
/// what Python's csv module reads in strict mode, a row's number of fields
/// checked in addition (empty fields behind the last column are ignored).
///
/// A pipe is recognised by its first line, so that every row can be answered
/// when it arrives; only a table with tabs and csv_quote auto is waited for
/// until 64 KiB are there. What is read never depends on the pieces in which a
/// pipe delivers.
///
/// Errors: what makes one row unusable is counted against max_bad_rows and
/// logged; DataError beyond it. What makes the rest of a file unreadable (an
/// unclosed quote or bracket, a damaged gzip stream, a missing column) is
/// always a DataError. Messages begin with "file:line:column: ".
///
/// Threads: one at a time.
class RecordReader {
 public:
  /// `files` as expand_inputs returns them; "-" is standard input.
  /// Throws ConfigError for settings that make no sense. Opens nothing yet.
  RecordReader(std::vector<std::string> files, ReaderSettings settings);
  ~RecordReader();
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;

  /// The next record; false at the end of the last file.
  bool next(Record& record);

  /// Fills `records` with the next ones, about `max_bytes` of input (at least
  /// one record), parsed on up to `threads` threads. Same records in the same
  /// order as next(), which it may be mixed with. A block of a pipe ends where
  /// the next row is not there yet. Errors come after the records before them
  /// were handed out, with the next call. False at the end.
  bool next_block(std::vector<Record>& records, std::int64_t max_bytes,
                  int threads);

  /// Counts a row as unusable for a reason found by the caller, exactly as the
  /// reader's own checks do: logs it, or throws DataError beyond max_bad_rows.
  void reject(const SourcePosition& position, const std::string& reason);

  /// "file:line:column", see record.h.
  std::string describe(const SourcePosition& position) const;

  const std::vector<std::string>& files() const;
  const ReaderSettings& settings() const;
  std::int64_t rows() const;      ///< Usable rows handed out so far.
  std::int64_t bad_rows() const;  ///< Unusable rows so far.
  /// Ill-formed byte sequences (or lone surrogate escapes) that became U+FFFD.
  std::int64_t replaced_sequences() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longformer
