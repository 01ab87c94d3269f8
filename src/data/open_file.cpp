// SPDX-License-Identifier: MIT
#include "open_file.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "csv_splitter.h"
#include "json_splitter.h"
#include "label_text.h"
#include "record_format.h"

namespace longformer {
namespace {

constexpr std::size_t kSampleBytes = 64 << 10;

/// Where the line ends by which the format of a pipe is recognised; whoever
/// writes it may wait for an answer to the first row. npos: not in `text`.
std::size_t end_of_deciding_line(std::string_view text,
                                 const DataReadingOptions& options) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool may_be_table = begin != std::string_view::npos &&
                            text[begin] != '{' && text[begin] != '[';
  return may_be_table ? end_of_header(text, options) : end_of_first_line(text);
}

}  // namespace

OpenFile::OpenFile(const std::string& path, const ReaderSettings& settings,
                   const ColumnNames& columns)
    : input_(path, settings.reading.encoding),
      format_(settings.reading.data_format) {
  if (format_ == DataFormat::kAuto) detect(settings, columns);
  source_ = std::make_unique<CharSource>(
      [this](std::string& out) { return read_more(out); },
      /*lone_cr_ends_line=*/is_table());
  if (is_table()) {
    open_table(settings, columns);
  } else if (format_ == DataFormat::kJson) {
    splitter_ = std::make_unique<JsonArraySplitter>(*source_, name());
  } else if (format_ == DataFormat::kText) {
    splitter_ = std::make_unique<TextSplitter>(*source_);
  } else {
    splitter_ = std::make_unique<JsonLinesSplitter>(*source_);
  }
}

std::string OpenFile::description() const {
  return std::string(name_of(format_)) + ", " +
         std::string(input_.encoding_name()) + details_;
}

void OpenFile::detect(const ReaderSettings& settings,
                      const ColumnNames& columns) {
  std::size_t end = std::string::npos;
  while (sample_.size() < kSampleBytes && input_.read_more(sample_)) {
    if (input_.is_pipe()) end = end_of_deciding_line(sample_, settings.reading);
    if (end != std::string::npos) break;
  }
  if (input_.is_pipe()) end = std::min(end, kSampleBytes);
  format_ = detect_format(name(), std::string_view(sample_).substr(0, end),
                          settings.reading, columns);
}

bool OpenFile::read_more(std::string& out) {
  if (sample_.empty()) return input_.read_more(out);
  out += sample_;
  std::string().swap(sample_);
  return true;
}

CsvDialect OpenFile::dialect_of_table(const ReaderSettings& settings,
                                      const ColumnNames& columns) {
  const DataReadingOptions& reading = settings.reading;
  bool complete = false;
  if (input_.is_pipe()) {
    std::string_view sample;
    std::size_t end = std::string::npos;
    do {
      sample = source_->look_ahead(sample.size() + 1, &complete);
      end = end_of_header(sample, reading);
    } while (end == std::string::npos && !complete &&
             sample.size() < kSampleBytes);
    const CsvDialect dialect =
        choose_dialect(sample.substr(0, std::min(end, kSampleBytes)),
                       /*complete=*/false, format_, reading, columns);
    // Only whether quotes count in a file with tabs takes more than the header.
    if (dialect.delimiter != '\t' || reading.csv_quote != "auto") {
      return dialect;
    }
  }
  std::string_view sample = source_->look_ahead(kSampleBytes, &complete);
  if (input_.is_pipe() && sample.size() > kSampleBytes) {
    sample = sample.substr(0, kSampleBytes);
    complete = false;
  }
  return choose_dialect(sample, complete, format_, reading, columns);
}

void OpenFile::open_table(const ReaderSettings& settings,
                          const ColumnNames& columns) {
  const CsvDialect dialect = dialect_of_table(settings, columns);
  auto splitter =
      std::make_unique<CsvSplitter>(*source_, name(), dialect, columns);
  details_ = ", " + describe(dialect) + ", " +
             counted(splitter->header().size(), "column");
  splitter_ = std::move(splitter);
}

}  // namespace longformer
