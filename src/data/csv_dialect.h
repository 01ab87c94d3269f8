// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/data_options.h"

#include "csv_scanner.h"

namespace longformer {

/// The columns that a reader looks for.
struct ColumnNames {
  std::string text;
  std::string text_pair;  ///< Empty: none.
  std::string label;      ///< Empty: none.
  bool label_required = false;
};

/// A line before the header in which a spreadsheet says how the fields are
/// separated: "sep=;".
struct StatedDelimiter {
  char delimiter = ',';
  std::size_t end = 0;  ///< Where the line ends, behind its line feed.
};
/// Nothing if `text` does not begin with one.
std::optional<StatedDelimiter> stated_delimiter(std::string_view text);

/// The fields of the first line (behind a stated delimiter) in `sample`;
/// nothing if it has none or breaks the rules of the dialect.
std::optional<std::vector<std::string>> header_of(std::string_view sample,
                                                  const CsvDialect& dialect);

/// Where the header line of a file that begins with `text` ends, behind its
/// line feed; npos if `text` ends before. Quoted names may hold line ends.
std::size_t end_of_header(std::string_view text,
                          const DataReadingOptions& options);

/// Delimiter and quote of a file that begins with `sample` (`complete`: is all
/// of it). Options that are not auto decide; else the delimiter is the stated
/// one, or the one out of `,` `;` tab `|` (CSV) or the tab (TSV) by which the
/// header line has the most of the columns, and a tab-separated file whose
/// quotes break the rules has none.
///
/// Throws ConfigError for options that are no single character.
CsvDialect choose_dialect(std::string_view sample, bool complete,
                          DataFormat format, const DataReadingOptions& options,
                          const ColumnNames& columns);

/// "delimiter ';', quote '\"'"; for the log.
std::string describe(const CsvDialect& dialect);

}  // namespace longformer
