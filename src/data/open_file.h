// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "longformer/data/record_reader.h"

#include "char_source.h"
#include "csv_dialect.h"
#include "decoded_input.h"
#include "row_splitter.h"

namespace longformer {

/// One input file of a RecordReader: decoded, its format recognised, its rows
/// cut out.
class OpenFile {
 public:
  /// Throws what DecodedInput and the splitters throw.
  OpenFile(const std::string& path, const ReaderSettings& settings,
           const ColumnNames& columns);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool next(RawRow& row) { return splitter_->next(row); }
  /// Whether next() would have to wait for whoever writes a pipe.
  bool would_wait() const {
    return input_.is_pipe() && sample_.empty() && !splitter_->has_row() &&
           input_.would_wait();
  }
  /// The path, or "standard input".
  const std::string& name() const { return input_.name(); }
  /// Ill-formed UTF-16 units so far.
  std::int64_t replaced() const { return input_.replaced(); }
  bool is_table() const {
    return format_ == DataFormat::kCsv || format_ == DataFormat::kTsv;
  }
  /// What the file was taken for; for the log.
  std::string description() const;

 private:
  void detect(const ReaderSettings& settings, const ColumnNames& columns);
  bool read_more(std::string& out);
  void open_table(const ReaderSettings& settings, const ColumnNames& columns);
  CsvDialect dialect_of_table(const ReaderSettings& settings,
                              const ColumnNames& columns);

  DecodedInput input_;
  DataFormat format_;
  std::string sample_;  ///< What detect() read, until it is read again.
  std::string details_;
  std::unique_ptr<CharSource> source_;
  std::unique_ptr<RowSplitter> splitter_;
};

}  // namespace longformer
