// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "longformer/config/field.h"

namespace longformer {

/// kText: every line is a document without a label.
enum class DataFormat { kAuto, kJsonLines, kJson, kCsv, kTsv, kText };

template <>
struct EnumNames<DataFormat> {
  static constexpr std::array<std::string_view, 6> kNames{
      "auto", "jsonl", "json", "csv", "tsv", "text"};
};

enum class TextEncoding { kAuto, kUtf8, kUtf16, kLatin1 };

template <>
struct EnumNames<TextEncoding> {
  static constexpr std::array<std::string_view, 4> kNames{"auto", "utf-8",
                                                          "utf-16", "latin-1"};
};

/// How data files are read; the same for every command that reads them.
struct DataReadingOptions {
  std::string text_column = "text";
  std::string text_pair_column;
  DataFormat data_format = DataFormat::kAuto;
  std::string csv_delimiter = "auto";
  std::string csv_quote = "auto";
  TextEncoding encoding = TextEncoding::kAuto;
  std::int64_t max_bad_rows = 0;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&DataReadingOptions::text_column,
          field("text_column",
                "Column (or JSON key) that holds the text. Rows with "
                "input_ids need none."));
    visit(&DataReadingOptions::text_pair_column,
          field("text_pair_column",
                "Column that holds a second text, joined to the first with "
                "separator tokens; empty: there is none."));
    visit(&DataReadingOptions::data_format,
          field("data_format",
                "Format of the data files; auto goes by the name and the "
                "content. Any of them may be gzip-compressed."));
    visit(&DataReadingOptions::csv_delimiter,
          field("csv_delimiter",
                "What separates the fields of a CSV file: auto, tab, comma, "
                "semicolon, pipe, space, or the character itself."));
    visit(&DataReadingOptions::csv_quote,
          field("csv_quote",
                "What surrounds fields of a CSV file that hold a separator: "
                "auto, none, or the character itself."));
    visit(&DataReadingOptions::encoding,
          field("encoding",
                "Encoding of the data files; auto takes UTF-8 and says what "
                "else a file looks like."));
    visit(&DataReadingOptions::max_bad_rows,
          field("max_bad_rows",
                "Unusable rows that are skipped (each is reported) before "
                "the run is refused.")
              .unit("rows")
              .at_least(0));
  }
};

}  // namespace longformer
