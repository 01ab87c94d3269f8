// SPDX-License-Identifier: MIT
#include "csv_dialect.h"

#include <algorithm>

#include "longformer/base/error.h"

#include "label_text.h"

namespace longformer {
namespace {

/// A CharSource over a text in memory.
CharSource source_of(std::string_view text) {
  return CharSource(
      [text, given = false](std::string& out) mutable {
        if (given || text.empty()) return false;
        given = true;
        out.append(text);
        return true;
      },
      /*lone_cr_ends_line=*/true);
}

char single_character(const std::string& option, const std::string& value) {
  if (value == "tab" || value == "\\t") return '\t';
  if (value.size() == 1 && static_cast<unsigned char>(value[0]) < 0x80 &&
      value[0] != '\n' && value[0] != '\r') {
    return value[0];
  }
  throw ConfigError(option + ": " + in_quotes(value) +
                    " is no single ASCII character; give one, such as \",\" "
                    "or tab, or auto");
}

int columns_in(const std::vector<std::string>& header,
               const ColumnNames& columns) {
  const auto has = [&](const std::string& name) {
    return !name.empty() &&
           std::find(header.begin(), header.end(), name) != header.end();
  };
  return (has(columns.text) ? 4 : 0) + (has(columns.text_pair) ? 2 : 0) +
         (has(columns.label) ? 1 : 0);
}

/// The delimiter with the most of the columns; if none has any, the one that
/// splits the line into the most fields, so that the error can list them.
char best_delimiter(std::string_view sample, std::string_view candidates,
                    const CsvDialect& dialect, const ColumnNames& columns) {
  char best = candidates[0];
  std::pair<int, std::size_t> best_score{-1, 0};
  for (const char candidate : candidates) {
    if (dialect.quote == candidate) continue;
    const auto header = header_of(sample, {candidate, dialect.quote});
    if (!header) continue;
    const int found = columns_in(*header, columns);
    const std::pair<int, std::size_t> score{found,
                                            found > 0 ? 0 : header->size()};
    if (score > best_score) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

/// Whether all records of the sample (but the last, if it may be cut) follow
/// the rules and have as many fields as the first.
bool is_regular(std::string_view sample, bool complete,
                const CsvDialect& dialect) {
  CharSource source = source_of(sample);
  CsvScanner scanner(source, dialect);
  CsvRecord record;
  std::size_t expected = 0;
  try {
    while (scanner.next(record, {})) {
      if (source.at_end() && !complete) break;
      if (expected == 0) expected = record.num_fields;
      if (record.num_fields != expected) return false;
    }
  } catch (const CsvProblem& problem) {
    return problem.is_fatal && !complete;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> header_of(std::string_view sample,
                                                  const CsvDialect& dialect) {
  CharSource source = source_of(sample);
  CsvScanner scanner(source, dialect);
  CsvRecord record;
  try {
    const std::vector<bool> first_columns(4096, true);
    if (!scanner.next(record, first_columns)) return std::nullopt;
  } catch (const CsvProblem&) {
    return std::nullopt;
  }
  record.fields.resize(std::min(record.fields.size(), record.num_fields));
  return std::move(record.fields);
}

std::size_t end_of_header(std::string_view text,
                          const DataReadingOptions& options) {
  const char quote = options.csv_quote == "auto" ? '"'
                     : options.csv_quote == "none"
                         ? '\n'
                         : single_character("csv_quote", options.csv_quote);
  bool is_inside = false;
  for (std::size_t i = std::min(text.find_first_not_of("\r\n"), text.size());
       i < text.size(); ++i) {
    if (text[i] == '\n' && !is_inside) return i + 1;
    if (text[i] == quote) is_inside = !is_inside;
  }
  return std::string_view::npos;
}

CsvDialect choose_dialect(std::string_view sample, bool complete,
                          DataFormat format, const DataReadingOptions& options,
                          const ColumnNames& columns) {
  CsvDialect dialect;
  if (options.csv_quote == "none") {
    dialect.quote.reset();
  } else if (options.csv_quote != "auto") {
    dialect.quote = single_character("csv_quote", options.csv_quote);
  }
  if (options.csv_delimiter != "auto") {
    dialect.delimiter =
        single_character("csv_delimiter", options.csv_delimiter);
  } else {
    dialect.delimiter = best_delimiter(
        sample, format == DataFormat::kTsv ? "\t" : ",;\t|", dialect, columns);
  }
  if (dialect.quote == dialect.delimiter) {
    throw ConfigError("csv_quote and csv_delimiter are the same character " +
                      in_quotes(std::string(1, dialect.delimiter)) +
                      "; change one of them");
  }
  if (options.csv_quote == "auto" && dialect.delimiter == '\t' &&
      !is_regular(sample, complete, dialect) &&
      is_regular(sample, complete, {'\t', std::nullopt})) {
    dialect.quote.reset();
  }
  return dialect;
}

std::string describe(const CsvDialect& dialect) {
  const auto shown = [](char c) {
    return c == '\t' ? std::string("tab") : std::string("'") + c + "'";
  };
  return "delimiter " + shown(dialect.delimiter) + ", quote " +
         (dialect.quote ? shown(*dialect.quote) : std::string("none"));
}

}  // namespace longformer
