// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "longformer/base/threads.h"
#include "longformer/config/tokenizer_options.h"
#include "longformer/data/input_files.h"
#include "longformer/data/record_reader.h"
#include "longformer/tokenizer/tokenizer.h"

#include "command_start.h"
#include "commands.h"
#include "output_file.h"
#include "overwriting.h"

namespace longformer {
namespace {

/// Text that is tokenised at one time.
constexpr std::int64_t kBlockBytes = std::int64_t{8} << 20;

void append_number(std::string& text, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, std::end(digits), value);
  text.append(digits, end.ptr);
}

/// Written directly: as a Json object, the offsets of a text of some megabytes
/// would take gigabytes.
std::string line_of(const Encoding& encoding, const Record& record) {
  std::string line = "{";
  if (record.id) {
    line += "\"id\":";
    line += record.id->dump(-1, ' ', false, Json::error_handler_t::replace);
    line += ',';
  }
  line += "\"ids\":[";
  for (const auto id : encoding.ids) {
    append_number(line, id);
    line += ',';
  }
  if (line.back() == ',') line.pop_back();
  line += "],\"offsets\":[";
  for (const auto& [begin, end] : encoding.offsets) {
    line += '[';
    append_number(line, begin);
    line += ',';
    append_number(line, end);
    line += "],";
  }
  if (line.back() == ',') line.pop_back();
  line += encoding.truncated ? "],\"truncated\":true}\n"
                             : "],\"truncated\":false}\n";
  return line;
}

/// The lines of one record: one, or one a window.
std::string encode_record(const Tokenizer& tokenizer, const Record& record,
                          const EncodeSettings& settings) {
  if (record.input_ids) {
    throw DataError(
        "the row has input_ids already; remove them to tokenise "
        "its text");
  }
  std::optional<std::string_view> pair;
  if (record.text_pair) pair = *record.text_pair;
  if (settings.stride == 0) {
    return line_of(tokenizer.encode(record.text, pair, settings), record);
  }
  std::string lines;
  for (const Encoding& window :
       tokenizer.encode_windows(record.text, pair, settings)) {
    lines += line_of(window, record);
  }
  return lines;
}

}  // namespace

ExitCode tokenizer_encode_command(const Arguments& arguments) {
  const auto options = start_command<TokenizerEncodeOptions>(
      "tokenizer encode", "Shows how texts are cut into tokens.", arguments);
  if (!options) return ExitCode::kSuccess;
  const TokenizerEncodeTask& task = options->task;
  const std::vector<std::string> data = expand_inputs(task.data);
  OutputFile output(task.output, with_model_files(data, {task.tokenizer}));
  TokenizerOptions tokenizer_options;
  tokenizer_options.add_prefix_space = task.add_prefix_space;
  const auto tokenizer = load_tokenizer(task.tokenizer, tokenizer_options);
  EncodeSettings settings;
  settings.max_length = task.max_length;
  settings.stride = task.stride;
  settings.want_offsets = true;
  ReaderSettings reading;
  reading.reading = options->reading;
  reading.label_column.clear();
  RecordReader reader(data, reading);
  const int threads =
      task.threads > 0 ? static_cast<int>(task.threads) : available_threads();
  std::vector<Record> records;
  while (reader.next_block(records, kBlockBytes, threads)) {
    std::vector<std::string> lines(records.size());
    std::vector<std::string> problems(records.size());
    parallel_parts(static_cast<std::int64_t>(records.size()), 1, threads,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       try {
                         lines[at] =
                             encode_record(*tokenizer, records[at], settings);
                       } catch (const DataError& error) {
                         problems[at] = error.what();
                       }
                     }
                   });
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!problems[i].empty()) {
        reader.reject(records[i].position, problems[i]);
      }
      output.write(lines[i]);
    }
  }
  output.finish();
  return ExitCode::kSuccess;
}

}  // namespace longformer
