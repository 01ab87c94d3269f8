// SPDX-License-Identifier: MIT
#include "longformer/data/record_reader.h"

#include <exception>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/threads.h"

#include "csv_dialect.h"
#include "json_record.h"
#include "label_text.h"
#include "open_file.h"
#include "row_splitter.h"

namespace longformer {
namespace {

bool is_empty_text(const RawLabel& label) {
  const auto* text = std::get_if<std::string>(&label);
  return text != nullptr && text->empty();
}

}  // namespace

std::string describe(const std::string& file, const SourcePosition& position) {
  std::string text = (file == "-" ? "standard input" : file) + ":" +
                     std::to_string(position.line) + ":" +
                     std::to_string(position.column);
  if (position.row != position.line && position.row != 0) {
    text += " (row " + std::to_string(position.row) + ")";
  }
  return text;
}

class RecordReader::Impl {
 public:
  Impl(std::vector<std::string> files, ReaderSettings settings)
      : files_(std::move(files)), settings_(std::move(settings)) {
    if (settings_.reading.text_column.empty()) {
      throw ConfigError("text_column is empty; name the column with the text");
    }
    columns_ = {settings_.reading.text_column,
                settings_.reading.text_pair_column, settings_.label_column,
                settings_.require_label};
    // Reports unusable dialect options before any file is opened.
    choose_dialect("", true, DataFormat::kCsv, settings_.reading, columns_);
  }

  bool next(Record& record) {
    throw_failure();
    RawRow row;
    while (cut_row(row)) {
      parse(row);
      if (accept(row)) {
        record = std::move(row.record);
        return true;
      }
      row = RawRow();
    }
    warn_at_end();
    return false;
  }

  bool next_block(std::vector<Record>& records, std::int64_t max_bytes,
                  int threads) {
    records.clear();
    std::vector<RawRow> rows;
    while (records.empty()) {
      throw_failure();
      cut_block(rows, max_bytes);
      if (rows.empty() && failure_ == nullptr) {
        warn_at_end();
        return false;
      }
      parallel_parts(static_cast<std::int64_t>(rows.size()), /*grain=*/16,
                     threads, [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         parse(rows[static_cast<std::size_t>(i)]);
                       }
                     });
      accept_block(rows, records);
    }
    return true;
  }

  void reject(const SourcePosition& position, const std::string& reason) {
    reject_at(describe(position), reason);
  }

  std::string describe(const SourcePosition& position) const {
    return longformer::describe(
        files_.at(static_cast<std::size_t>(position.file)), position);
  }

  std::vector<std::string> files_;
  ReaderSettings settings_;
  std::int64_t rows_ = 0;
  std::int64_t bad_rows_ = 0;
  std::int64_t replaced_ = 0;

 private:
  /// What makes the rest unreadable becomes failure_.
  void cut_block(std::vector<RawRow>& rows, std::int64_t max_bytes) {
    rows.clear();
    std::int64_t bytes = 0;
    try {
      while (bytes < max_bytes) {
        if (!rows.empty() && file_ != nullptr && file_->would_wait()) return;
        RawRow row;
        if (!cut_row(row)) return;
        // Short rows cost more than their text.
        bytes += static_cast<std::int64_t>(
            row.json.size() + row.record.text.size() + sizeof(row));
        rows.push_back(std::move(row));
      }
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
  }

  /// Hands out the rows up to the first that is beyond max_bad_rows.
  void accept_block(std::vector<RawRow>& rows, std::vector<Record>& records) {
    try {
      for (RawRow& row : rows) {
        if (accept(row)) records.push_back(std::move(row.record));
      }
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
  }

  void throw_failure() {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  /// The next row of whatever file it is in.
  bool cut_row(RawRow& row) {
    while (true) {
      if (!file_) {
        if (next_file_ == files_.size()) return false;
        open_next_file();
      }
      if (file_->next(row)) break;
      replaced_ += file_->replaced();
      file_.reset();
    }
    row.position.file = static_cast<std::int32_t>(next_file_ - 1);
    row.position.row = ++row_in_file_;
    return true;
  }

  void open_next_file() {
    file_ = std::make_unique<OpenFile>(files_[next_file_], settings_, columns_);
    had_table_ = had_table_ || file_->is_table();
    ++next_file_;
    row_in_file_ = 0;
    const std::string description = file_->description();
    if (description == last_description_) return;
    log_info(file_->name() + ": read as " + description);
    last_description_ = description;
  }

  /// Threads: several at a time, for different rows.
  void parse(RawRow& row) const {
    if (!row.json.empty()) parse_json_row(row, settings_);
    row.record.position = row.position;
    if (!row.problem.empty()) return;
    if (is_empty_text(row.record.label) && !settings_.allow_empty_label) {
      row.record.label = std::monostate{};
    }
    if (settings_.require_label &&
        std::holds_alternative<std::monostate>(row.record.label)) {
      row.problem =
          "the label (" + settings_.label_column +
          ") is missing or empty; fill it in (if that means that none of "
          "several labels applies, set problem_type to "
          "multi_label_classification)";
    }
  }

  /// Counts the row; whether it is handed out.
  bool accept(RawRow& row) {
    if (row.replaced > 0 && first_replaced_.empty()) {
      first_replaced_ = describe(row.position);
    }
    replaced_ += row.replaced;
    if (row.problem.empty()) {
      ++rows_;
      had_text_ = had_text_ || !row.record.input_ids;
      return true;
    }
    reject_at(place_of_problem(row), row.problem);
    if (!settings_.keep_bad_rows) return false;
    row.record = Record();
    row.record.position = row.position;
    row.record.error = row.problem;
    return true;
  }

  std::string place_of_problem(const RawRow& row) const {
    SourcePosition place = row.position;
    if (row.problem_line > 0) {
      place.line = row.problem_line;
      place.column = row.problem_column;
    }
    return describe(place);
  }

  /// At the end of all files.
  void warn_at_end() {
    if (std::exchange(warned_, true)) return;
    warn_of_replacements();
    warn_of_options_without_effect();
  }

  void warn_of_options_without_effect() const {
    const DataReadingOptions& reading = settings_.reading;
    const DataReadingOptions defaults;
    const auto warn = [&](const char* option, const std::string& value,
                          const std::string& usual, const char* reason) {
      if (value == usual) return;
      log_warning(std::string(option) + " (" + value + ") has no effect: " +
                  reason + (files_.empty() ? "" : ", as in " + files_[0]));
    };
    if (rows_ == 0) return;
    if (!had_table_ && reading.data_format == DataFormat::kAuto) {
      const char* reason = "none of the files is a table";
      warn("csv_delimiter", reading.csv_delimiter, defaults.csv_delimiter,
           reason);
      warn("csv_quote", reading.csv_quote, defaults.csv_quote, reason);
    }
    if (had_text_) return;
    const char* reason = "all rows hold input_ids";
    warn("text_column", reading.text_column, defaults.text_column, reason);
    warn("text_pair_column", reading.text_pair_column,
         defaults.text_pair_column, reason);
  }

  void warn_of_replacements() const {
    if (replaced_ == 0) return;
    log_warning(
        counted(static_cast<std::size_t>(replaced_), "ill-formed character") +
        " read as U+FFFD" +
        (first_replaced_.empty() ? std::string()
                                 : ", the first in " + first_replaced_) +
        "; check the encoding of the file");
  }

  void reject_at(const std::string& where, const std::string& reason) {
    ++bad_rows_;
    const std::int64_t allowed = settings_.reading.max_bad_rows;
    if (bad_rows_ <= allowed) {
      log_warning(where + ": " + reason + " (row skipped, " +
                  std::to_string(bad_rows_) + " of at most " +
                  std::to_string(allowed) + ")");
      return;
    }
    std::string message = where + ": " + reason;
    if (allowed > 0) {
      message += " (bad row number " + std::to_string(bad_rows_) +
                 "; max_bad_rows allows " + std::to_string(allowed) + ")";
    }
    throw DataError(message);
  }

  ColumnNames columns_;
  /// What comes behind the records that were handed out.
  std::exception_ptr failure_;
  std::unique_ptr<OpenFile> file_;
  std::size_t next_file_ = 0;
  std::int64_t row_in_file_ = 0;
  std::string last_description_;
  std::string first_replaced_;
  bool had_table_ = false;
  bool had_text_ = false;
  bool warned_ = false;
};

RecordReader::RecordReader(std::vector<std::string> files,
                           ReaderSettings settings)
    : impl_(std::make_unique<Impl>(std::move(files), std::move(settings))) {}

RecordReader::~RecordReader() = default;
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;

bool RecordReader::next(Record& record) { return impl_->next(record); }

bool RecordReader::next_block(std::vector<Record>& records,
                              std::int64_t max_bytes, int threads) {
  return impl_->next_block(records, max_bytes, threads);
}

void RecordReader::reject(const SourcePosition& position,
                          const std::string& reason) {
  impl_->reject(position, reason);
}

std::string RecordReader::describe(const SourcePosition& position) const {
  return impl_->describe(position);
}

const std::vector<std::string>& RecordReader::files() const {
  return impl_->files_;
}

const ReaderSettings& RecordReader::settings() const {
  return impl_->settings_;
}

std::int64_t RecordReader::rows() const { return impl_->rows_; }
std::int64_t RecordReader::bad_rows() const { return impl_->bad_rows_; }
std::int64_t RecordReader::replaced_sequences() const {
  return impl_->replaced_;
}

}  // namespace longformer
