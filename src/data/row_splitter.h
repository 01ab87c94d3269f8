// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "longformer/data/record.h"

namespace longformer {

/// A row as it was cut out of its file. JSON rows still have to be parsed,
/// which several threads can do at once.
struct RawRow {
  SourcePosition position;
  std::string json;  ///< The row's text, JSON formats only.
  Record record;     ///< What was read, the other formats.
  /// Why the row is unusable (empty: it is not), and where that shows; a line
  /// of 0 means where the row starts.
  std::string problem;
  std::int64_t problem_line = 0;
  std::int32_t problem_column = 1;
  /// Ill-formed sequences that were replaced.
  std::int64_t replaced = 0;
};

/// Cuts the rows out of one file.
class RowSplitter {
 public:
  virtual ~RowSplitter() = default;
  RowSplitter(const RowSplitter&) = delete;
  RowSplitter& operator=(const RowSplitter&) = delete;

  /// Fills everything of `row` but position.file and position.row, which hold
  /// their default; false at the end of the file. Throws DataError when the
  /// rest of the file cannot be read.
  virtual bool next(RawRow& row) = 0;

  /// Whether the whole next row has been read already, so that next() does not
  /// have to wait for a slow input.
  virtual bool has_row() const = 0;

 protected:
  RowSplitter() = default;
};

/// Replaces ill-formed UTF-8 in `text` by U+FFFD and counts it.
void repair_utf8(std::string& text, std::int64_t& replaced);

}  // namespace longformer
