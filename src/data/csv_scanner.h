// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "char_source.h"

namespace longformer {

/// How fields are separated and quoted.
struct CsvDialect {
  char delimiter = ',';
  std::optional<char> quote = '"';

  bool operator==(const CsvDialect&) const = default;
};

/// A place that breaks the rules of RFC 4180.
struct CsvProblem {
  std::int64_t line = 0;
  std::int32_t column = 1;
  std::string reason;
  bool is_fatal = false;  ///< The rows that follow cannot be told apart.
};

/// One record. Only the first fields are stored, so that a row of a million
/// delimiters costs no more than its text.
struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t num_fields = 0;  ///< Also those not stored.
  /// The first field that is not empty among those behind the stored ones.
  std::optional<std::size_t> first_extra;
};

/// Splits the characters of a CSV file into records of fields by RFC 4180; the
/// same records as Python's csv module in strict mode. A line ends with LF,
/// CRLF or a lone CR; blank lines are skipped.
class CsvScanner {
 public:
  /// `source` (with lone_cr_ends_line) must outlive the scanner.
  CsvScanner(CharSource& source, const CsvDialect& dialect);

  /// The next record; false at the end of the file. Of its fields as many are
  /// stored as `wanted` has elements; those whose element is false stay empty.
  /// Throws CsvProblem; if it is not fatal, the rest of the line was skipped
  /// and the next call goes on.
  bool next(CsvRecord& record, const std::vector<bool>& wanted);

  /// Whether the source has read the whole next record already.
  bool has_record() const;

  /// Where the last record started, also one with a problem.
  std::int64_t line() const { return line_; }

 private:
  bool scan_field(std::string* out);
  bool scan_quoted(std::string* out);
  bool at_line_end() const;
  void skip_line_end();

  CharSource& source_;
  CsvDialect dialect_;
  ByteSet field_stops_;
  ByteSet quoted_stops_;
  std::int64_t line_ = 0;
};

}  // namespace longformer
