// SPDX-License-Identifier: MIT
#include "open_file.h"

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

}  // namespace

OpenFile::OpenFile(const std::string& path, const ReaderSettings& settings,
                   const ColumnNames& columns)
    : input_(path, settings.reading.encoding),
      format_(settings.reading.data_format) {
  if (format_ == DataFormat::kAuto) detect(settings, columns);
  const bool is_table =
      format_ == DataFormat::kCsv || format_ == DataFormat::kTsv;
  source_ = std::make_unique<CharSource>(
      [this](std::string& out) { return read_more(out); },
      /*lone_cr_ends_line=*/is_table);
  if (is_table) {
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
  while (sample_.size() < kSampleBytes && input_.read_more(sample_)) {
  }
  format_ = detect_format(name(), sample_, settings.reading, columns);
}

bool OpenFile::read_more(std::string& out) {
  if (sample_.empty()) return input_.read_more(out);
  out += sample_;
  std::string().swap(sample_);
  return true;
}

void OpenFile::open_table(const ReaderSettings& settings,
                          const ColumnNames& columns) {
  bool complete = false;
  const std::string_view sample = source_->look_ahead(kSampleBytes, &complete);
  const CsvDialect dialect =
      choose_dialect(sample, complete, format_, settings.reading, columns);
  auto splitter =
      std::make_unique<CsvSplitter>(*source_, name(), dialect, columns);
  details_ = ", " + describe(dialect) + ", " +
             counted(splitter->header().size(), "column");
  splitter_ = std::move(splitter);
}

}  // namespace longformer
