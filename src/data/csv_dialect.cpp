// SPDX-License-Identifier: MIT
#include "csv_dialect.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/config/csv_dialect.h"

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

CsvCharacter understood(const std::optional<CsvCharacter>& character,
                        const char* option, const std::string& value) {
  if (character) return *character;
  throw ConfigError(std::string(option) + ": " + in_quotes(value) +
                    " is no single ASCII character; give one, such as \",\" "
                    "or tab, or auto");
}

/// The option `csv_quote`.
CsvCharacter quote_of(const DataReadingOptions& options) {
  return understood(csv_quote_of(options.csv_quote), "csv_quote",
                    options.csv_quote);
}

/// The option `csv_delimiter`.
CsvCharacter delimiter_of(const DataReadingOptions& options) {
  return understood(csv_delimiter_of(options.csv_delimiter), "csv_delimiter",
                    options.csv_delimiter);
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

std::size_t end_of_statement(std::string_view text) {
  const auto stated = stated_delimiter(text);
  return stated ? stated->end : 0;
}

/// Whether all records of the sample (but the last, if it may be cut) follow
/// the rules and have as many fields as the first.
bool is_regular(std::string_view sample, bool complete,
                const CsvDialect& dialect) {
  CharSource source = source_of(sample.substr(end_of_statement(sample)));
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

std::optional<StatedDelimiter> stated_delimiter(std::string_view text) {
  constexpr std::string_view kStatement = "sep=";
  const bool is_quoted = text.starts_with('"');
  std::size_t at = is_quoted ? 1 : 0;
  if (text.substr(at, kStatement.size()) != kStatement) return std::nullopt;
  at += kStatement.size();
  if (at >= text.size()) return std::nullopt;
  const char delimiter = text[at++];
  if (delimiter == '\n' || delimiter == '\r') return std::nullopt;
  if (is_quoted && text.substr(at, 1) != "\"") return std::nullopt;
  if (is_quoted) ++at;
  if (text.substr(at, 1) == "\r") ++at;
  const bool ends_line = text.substr(at, 1) == "\n";
  if (!ends_line && (at == 0 || text[at - 1] != '\r')) return std::nullopt;
  return StatedDelimiter{delimiter, ends_line ? at + 1 : at};
}

std::optional<std::vector<std::string>> header_of(std::string_view sample,
                                                  const CsvDialect& dialect) {
  CharSource source = source_of(sample.substr(end_of_statement(sample)));
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
  const CsvCharacter wanted = quote_of(options);
  const char quote = wanted.kind == CsvCharacter::Kind::kAuto ? '"'
                     : wanted.kind == CsvCharacter::Kind::kNone
                         ? '\n'
                         : wanted.character;
  bool is_inside = false;
  for (std::size_t i = std::min(
           text.find_first_not_of("\r\n", end_of_statement(text)), text.size());
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
  const CsvCharacter quote = quote_of(options);
  if (quote.kind == CsvCharacter::Kind::kNone) {
    dialect.quote.reset();
  } else if (quote.kind == CsvCharacter::Kind::kCharacter) {
    dialect.quote = quote.character;
  }
  const CsvCharacter delimiter = delimiter_of(options);
  if (delimiter.kind == CsvCharacter::Kind::kCharacter) {
    dialect.delimiter = delimiter.character;
  } else if (const auto stated = stated_delimiter(sample)) {
    dialect.delimiter = stated->delimiter;
  } else {
    dialect.delimiter = best_delimiter(
        sample, format == DataFormat::kTsv ? "\t" : ",;\t|", dialect, columns);
  }
  if (dialect.quote == dialect.delimiter) {
    throw ConfigError("csv_quote and csv_delimiter are the same character " +
                      in_quotes(std::string(1, dialect.delimiter)) +
                      "; change one of them");
  }
  if (quote.kind == CsvCharacter::Kind::kAuto && dialect.delimiter == '\t' &&
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
