// SPDX-License-Identifier: MIT
#include "csv_scanner.h"

#include <algorithm>

namespace longformer {
namespace {

std::string shown(char c) {
  if (c == '\t') return "a tab";
  if (c > ' ' && c < '\x7F') return std::string("'") + c + "'";
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

/// Where the quoted field ends whose opening quote is at `i`; npos if that
/// cannot be told from `text`.
std::size_t closing_quote(std::string_view text, std::size_t i) {
  const char quote = text[i];
  while (true) {
    i = text.find(quote, i + 1);
    if (i == std::string_view::npos || i + 1 == text.size()) {
      return std::string_view::npos;
    }
    if (text[i + 1] != quote) return i;
    ++i;  // Two quotes are one inside.
  }
}

}  // namespace

CsvScanner::CsvScanner(CharSource& source, const CsvDialect& dialect)
    : source_(source),
      dialect_(dialect),
      field_stops_(std::string("\r\n") + dialect.delimiter),
      quoted_stops_(std::string("\r\n") + dialect.quote.value_or('"')) {}

bool CsvScanner::at_line_end() const {
  return source_.peek() == '\n' || source_.peek() == '\r';
}

void CsvScanner::skip_line_end() {
  const bool is_cr = source_.peek() == '\r';
  source_.skip();
  if (is_cr && !source_.at_end() && source_.peek() == '\n') source_.skip();
}

bool CsvScanner::next(CsvRecord& record, const std::vector<bool>& wanted) {
  while (!source_.at_end() && at_line_end()) skip_line_end();
  line_ = source_.line();
  if (source_.at_end()) return false;
  record.fields.resize(wanted.size());
  for (std::string& field : record.fields) field.clear();
  record.num_fields = 0;
  record.first_extra.reset();
  while (true) {
    const std::size_t index = record.num_fields++;
    const bool stored = index < wanted.size();
    const bool any =
        scan_field(stored && wanted[index] ? &record.fields[index] : nullptr);
    if (!stored && any && !record.first_extra) record.first_extra = index;
    if (source_.at_end()) return true;
    if (at_line_end()) {
      skip_line_end();
      return true;
    }
    source_.skip();  // The delimiter.
  }
}

bool CsvScanner::has_record() const {
  const std::string_view text = source_.buffered();
  bool is_field_start = true;
  for (std::size_t i = std::min(text.find_first_not_of("\r\n"), text.size());
       i < text.size(); ++i) {
    const char c = text[i];
    if (is_field_start && c == dialect_.quote) {
      i = closing_quote(text, i);
      if (i == std::string_view::npos) return false;
      is_field_start = false;
      continue;
    }
    // Behind a lone CR, the LF of the same line end might follow.
    if (c == '\n' || (c == '\r' && i + 1 < text.size())) return true;
    is_field_start = c == dialect_.delimiter;
  }
  return false;
}

/// Whether the field has any text.
bool CsvScanner::scan_field(std::string* out) {
  if (source_.at_end()) return false;  // Behind a delimiter at the very end.
  if (dialect_.quote && source_.peek() == *dialect_.quote) {
    return scan_quoted(out);
  }
  return source_.take_run(field_stops_, out) > 0;
}

bool CsvScanner::scan_quoted(std::string* out) {
  const std::int64_t open_line = source_.line();
  const std::int32_t open_column = source_.column();
  const char quote = *dialect_.quote;
  bool any = false;
  source_.skip();
  while (true) {
    any = source_.take_run(quoted_stops_, out) > 0 || any;
    if (source_.at_end()) {
      throw CsvProblem{open_line, open_column,
                       "the quote " + shown(quote) +
                           " that opens here is never closed; close it, or "
                           "set csv_quote to none if quotes are ordinary "
                           "characters",
                       true};
    }
    const char c = source_.peek();
    source_.skip();
    if (c == quote) {
      if (source_.at_end() || at_line_end() ||
          source_.peek() == dialect_.delimiter) {
        return any;
      }
      if (source_.peek() != quote) break;
      source_.skip();  // Two quotes are one.
    }
    any = true;  // A quote, or a line end inside quotes.
    if (out != nullptr) *out += c;
  }
  CsvProblem problem{
      source_.line(), source_.column(),
      "after the closing quote " + shown(quote) + " of a field there must be " +
          shown(dialect_.delimiter) + " or the end of the line, found " +
          shown(source_.peek()) +
          "; double the quotes inside quoted fields, or set "
          "csv_quote to none if quotes are ordinary characters",
      false};
  source_.take_run(ByteSet("\r\n"), nullptr);
  if (!source_.at_end()) skip_line_end();
  throw problem;
}

}  // namespace longformer
