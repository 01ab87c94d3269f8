// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "char_source.h"
#include "csv_dialect.h"
#include "csv_scanner.h"
#include "row_splitter.h"

namespace longformer {

/// Rows of a CSV or TSV file with a header line.
class CsvSplitter : public RowSplitter {
 public:
  /// Reads the header. `name`: of the file, for errors. `source` must outlive
  /// the splitter.
  /// Throws DataError for a missing or ambiguous column.
  CsvSplitter(CharSource& source, std::string name, const CsvDialect& dialect,
              const ColumnNames& columns);

  bool next(RawRow& row) override;
  bool has_row() const override { return scanner_.has_record(); }

  /// Names of the header line.
  const std::vector<std::string>& header() const { return header_; }

 private:
  bool scan(RawRow& row);
  bool is_header_again() const;
  void check_number_of_fields(RawRow& row) const;
  void take_fields(RawRow& row);
  void read_header(CharSource& source);
  std::size_t find_column(const std::string& column, const char* option);
  std::optional<std::size_t> find_optional(const std::string& column);

  std::string name_;
  CsvScanner scanner_;
  CsvRecord record_;
  std::vector<std::string> header_;
  std::vector<bool> wanted_;
  std::size_t text_ = 0;
  std::optional<std::size_t> text_pair_;
  std::optional<std::size_t> label_;
  std::optional<std::size_t> id_;
};

}  // namespace longformer
