// SPDX-License-Identifier: MIT
#include "record_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {
namespace {

constexpr std::array<std::pair<std::string_view, DataFormat>, 7> kEndings{{
    {".jsonl", DataFormat::kJsonLines},
    {".ndjson", DataFormat::kJsonLines},
    {".json", DataFormat::kJson},
    {".csv", DataFormat::kCsv},
    {".tsv", DataFormat::kTsv},
    {".tab", DataFormat::kTsv},
    {".txt", DataFormat::kText},
}};

bool has_ending(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(
      name.begin(), name.end(), ending.begin(),
      [](unsigned char a, char b) { return std::tolower(a) == b; });
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin);
}

bool begins_array_of_objects(std::string_view text) {
  if (!text.starts_with('[')) return false;
  text = without_blanks(text.substr(1));
  return text.empty() || text[0] == '{' || text[0] == ']';
}

/// CSV or TSV if the first line has the text column.
DataFormat table_format(std::string_view sample,
                        const DataReadingOptions& options,
                        const ColumnNames& columns) {
  const CsvDialect dialect =
      choose_dialect(sample, false, DataFormat::kCsv, options, columns);
  const auto header = header_of(sample, dialect);
  if (!header || std::find(header->begin(), header->end(), columns.text) ==
                     header->end()) {
    return DataFormat::kAuto;
  }
  return dialect.delimiter == '\t' ? DataFormat::kTsv : DataFormat::kCsv;
}

}  // namespace

DataFormat format_of_name(std::string_view name) {
  if (has_ending(name, ".gz")) name.remove_suffix(3);
  for (const auto& [ending, format] : kEndings) {
    if (has_ending(name, ending)) return format;
  }
  return DataFormat::kAuto;
}

DataFormat detect_format(const std::string& name, std::string_view sample,
                         const DataReadingOptions& options,
                         const ColumnNames& columns) {
  const DataFormat named = format_of_name(name);
  const std::string_view text = without_blanks(sample);
  if (named == DataFormat::kJson) {
    return text.starts_with('{') ? DataFormat::kJsonLines : DataFormat::kJson;
  }
  if (named != DataFormat::kAuto && named != DataFormat::kText) return named;
  // A plain text file may well be one of the others.
  if (text.empty()) return DataFormat::kText;
  if (text[0] == '{') return DataFormat::kJsonLines;
  if (begins_array_of_objects(text)) return DataFormat::kJson;
  const DataFormat table = table_format(sample, options, columns);
  if (table != DataFormat::kAuto) return table;
  if (named == DataFormat::kText) return named;
  throw DataError(name +
                  ": neither the name nor the content tells the format (no "
                  "JSON object, no header line with the column \"" +
                  columns.text +
                  "\"); set the option data_format to jsonl, json, csv, tsv or "
                  "text (every line is a document)");
}

}  // namespace longformer
