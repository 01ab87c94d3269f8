// SPDX-License-Identifier: MIT
#include "csv_splitter.h"

#include <algorithm>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"

#include "csv_dialect.h"
#include "label_text.h"

namespace longformer {
namespace {

constexpr std::size_t kMaxColumns = 65536;

[[noreturn]] void fail(const std::string& name, const CsvProblem& problem) {
  throw DataError(name + ":" + std::to_string(problem.line) + ":" +
                  std::to_string(problem.column) + ": " + problem.reason);
}

}  // namespace

CsvSplitter::CsvSplitter(CharSource& source, std::string name,
                         const CsvDialect& dialect, const ColumnNames& columns)
    : name_(std::move(name)), scanner_(source, dialect) {
  read_header(source);
  if (header_.empty()) return;  // An empty file: no rows.
  text_ = find_column(columns.text, "text_column");
  if (!columns.text_pair.empty()) {
    text_pair_ = find_column(columns.text_pair, "text_pair_column");
  }
  if (!columns.label.empty()) {
    if (columns.label_required) {
      label_ = find_column(columns.label, "label_column");
    } else {
      label_ = find_optional(columns.label);
    }
  }
  id_ = find_optional("id");
  // The first column is always kept, to recognise a repeated header line.
  wanted_.assign(header_.size(), false);
  wanted_[0] = true;
  wanted_[text_] = true;
  for (const auto& column : {text_pair_, label_, id_}) {
    if (column) wanted_[*column] = true;
  }
}

void CsvSplitter::read_header(CharSource& source) {
  if (const auto stated = stated_delimiter(source.buffered())) {
    for (std::size_t i = 0; i < stated->end; ++i) source.skip();
  }
  try {
    if (!scanner_.next(record_, std::vector<bool>(kMaxColumns, true))) return;
  } catch (const CsvProblem& problem) {
    fail(name_, problem);
  }
  if (record_.num_fields > kMaxColumns) {
    throw DataError(
        name_ + ":" + std::to_string(source.line()) + ": the header line has " +
        std::to_string(record_.num_fields) + " columns, more than " +
        std::to_string(kMaxColumns) + "; check csv_delimiter");
  }
  record_.fields.resize(record_.num_fields);
  header_ = record_.fields;
  std::int64_t replaced = 0;
  for (std::string& column : header_) repair_utf8(column, replaced);
}

std::optional<std::size_t> CsvSplitter::find_optional(
    const std::string& column) {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) return std::nullopt;
  if (std::find(found + 1, header_.end(), column) != header_.end()) {
    throw DataError(name_ + ":" + std::to_string(scanner_.line()) +
                    ":1: two columns are called " + in_quotes(column) +
                    " (found: " + list_names(header_) + "); rename one");
  }
  return static_cast<std::size_t>(found - header_.begin());
}

std::size_t CsvSplitter::find_column(const std::string& column,
                                     const char* option) {
  if (const auto index = find_optional(column)) return *index;
  throw DataError(name_ + ":" + std::to_string(scanner_.line()) +
                  ":1: there is no column " + in_quotes(column) + ", found " +
                  list_names(header_) + "; set the option " + option +
                  ", or csv_delimiter if the columns are not split");
}

bool CsvSplitter::next(RawRow& row) {
  if (header_.empty()) return false;
  while (scan(row)) {
    if (!row.problem.empty()) return true;
    if (is_header_again()) {
      // Files with headers that were joined, such as members of one .gz.
      log_warning(name_ + ":" + std::to_string(scanner_.line()) +
                  ": the header line appears again; skipped");
      continue;
    }
    check_number_of_fields(row);
    if (row.problem.empty()) take_fields(row);
    return true;
  }
  return false;
}

bool CsvSplitter::scan(RawRow& row) {
  try {
    if (!scanner_.next(record_, wanted_)) return false;
  } catch (const CsvProblem& problem) {
    if (problem.is_fatal) fail(name_, problem);
    row.problem = problem.reason;
    row.problem_line = problem.line;
    row.problem_column = problem.column;
  }
  row.position.line = scanner_.line();
  return true;
}

bool CsvSplitter::is_header_again() const {
  if (record_.num_fields != header_.size()) return false;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (wanted_[i] && record_.fields[i] != header_[i]) return false;
  }
  return true;
}

void CsvSplitter::check_number_of_fields(RawRow& row) const {
  const bool only_empty_extra =
      record_.num_fields > header_.size() && !record_.first_extra;
  if (record_.num_fields == header_.size() || only_empty_extra) return;
  row.problem = "the row has " + counted(record_.num_fields, "field") +
                " but the header line has " + std::to_string(header_.size()) +
                " (" + list_names(header_) +
                "); put quotes around fields that hold the delimiter or line "
                "ends, or fix the row";
}

void CsvSplitter::take_fields(RawRow& row) {
  const auto take = [&](std::size_t column) {
    std::string& field = record_.fields[column];
    repair_utf8(field, row.replaced);
    return field;  // A copy: the same column may serve twice.
  };
  Record& record = row.record;
  record.text = take(text_);
  if (text_pair_) record.text_pair = take(*text_pair_);
  if (label_) record.label = take(*label_);
  if (id_) record.id = take(*id_);
}

}  // namespace longformer
