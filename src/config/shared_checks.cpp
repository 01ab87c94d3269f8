// SPDX-License-Identifier: MIT
#include "shared_checks.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/config/csv_dialect.h"
#include "longformer/config/device_request.h"
#include "longformer/config/option_checks.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

void check_csv(const DataReadingOptions& options, ProblemList& problems) {
  const auto delimiter = csv_delimiter_of(options.csv_delimiter);
  const auto quote = csv_quote_of(options.csv_quote);
  if (!delimiter) {
    problems.add(
        "csv_delimiter: expected auto, tab, comma, semicolon, pipe, space or "
        "one ASCII character, got " +
            shown(options.csv_delimiter),
        {"csv_delimiter"});
  }
  if (!quote) {
    problems.add("csv_quote: expected auto, none or one ASCII character, got " +
                     shown(options.csv_quote),
                 {"csv_quote"});
  }
  const CsvCharacter tab{CsvCharacter::Kind::kCharacter, '\t'};
  if (delimiter && options.data_format == DataFormat::kTsv &&
      delimiter->kind == CsvCharacter::Kind::kCharacter && delimiter != tab) {
    problems.add("csv_delimiter: " + shown(options.csv_delimiter) +
                     " contradicts data_format tsv; set data_format to csv",
                 {"csv_delimiter", "data_format"});
  }
  if (delimiter && quote && delimiter == quote &&
      delimiter->kind == CsvCharacter::Kind::kCharacter) {
    problems.add("csv_delimiter and csv_quote are both " +
                     shown(options.csv_quote) + "; they have to differ",
                 {"csv_delimiter", "csv_quote"});
  }
}

}  // namespace

void check_reading(const DataReadingOptions& options, ProblemList& problems) {
  check_csv(options, problems);
  if (options.text_column.empty()) {
    problems.add("text_column: is empty; name the column that holds the text",
                 {"text_column"});
  }
  if (options.text_pair_column == options.text_column &&
      !options.text_column.empty()) {
    problems.add("text_column and text_pair_column are both " +
                     shown(options.text_column) +
                     "; leave text_pair_column empty for single texts",
                 {"text_column", "text_pair_column"});
  }
}

void check_compute(const ComputeOptions& options, ProblemList& problems) {
  try {
    parse_devices(options.devices);
  } catch (const ConfigError& error) {
    problems.add(error.what(), {"devices"});
  }
}

void check_window(std::int64_t window, ProblemList& problems) {
  if (window % 2 == 0) return;
  problems.add("attention_window: " + std::to_string(window) +
                   " is odd; it counts both sides together, give an even "
                   "number such as " +
                   std::to_string(window + 1),
               {"attention_window"});
}

void check_paths(std::string_view option, const std::vector<std::string>& paths,
                 bool may_be_standard_input, ProblemList& problems) {
  const std::string name(option);
  const auto has = [&](const char* path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  if (has("")) problems.add(name + ": holds an empty path", {name});
  if (!has("-")) return;
  if (!may_be_standard_input) {
    problems.add(
        name + ": - (standard input) can be read only once; name " + "files",
        {name});
  } else if (paths.size() > 1) {
    problems.add(name + ": - (standard input) cannot be combined with files",
                 {name});
  }
}

void check_label_column(const std::string& label_column,
                        const DataReadingOptions& reading,
                        ProblemList& problems) {
  if (label_column.empty()) {
    problems.add("label_column: is empty; name the column that holds the label",
                 {"label_column"});
  } else if (label_column == reading.text_column) {
    problems.add("label_column and text_column are both " + shown(label_column),
                 {"label_column", "text_column"});
  } else if (label_column == reading.text_pair_column) {
    problems.add(
        "label_column and text_pair_column are both " + shown(label_column),
        {"label_column", "text_pair_column"});
  }
}

std::vector<std::string> launch_warnings(const LaunchOptions& options,
                                         const OptionSources& sources) {
  std::vector<std::string> lines;
  if (options.processes != 1) return lines;
  for (const char* name :
       {"collective_timeout", "compression", "verify_replicas"}) {
    if (sources.contains(name)) {
      lines.push_back(std::string(name) + " has no effect with one process");
    }
  }
  return lines;
}

std::vector<std::string> reading_warnings(const DataReadingOptions& options,
                                          const OptionSources& sources) {
  std::vector<std::string> lines;
  const bool may_be_csv = options.data_format == DataFormat::kAuto ||
                          options.data_format == DataFormat::kCsv ||
                          options.data_format == DataFormat::kTsv;
  const auto warn = [&](const char* name) {
    if (!sources.contains(name)) return;
    lines.push_back(std::string(name) + " has no effect with data_format " +
                    std::string(name_of(options.data_format)));
  };
  if (!may_be_csv) {
    warn("csv_delimiter");
    warn("csv_quote");
  }
  if (options.data_format == DataFormat::kText) {
    warn("text_column");
    warn("text_pair_column");
  }
  return lines;
}

}  // namespace longformer
