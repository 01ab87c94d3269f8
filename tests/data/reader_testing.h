// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/data/record_reader.h"

#include "support/temp_dir.h"

namespace longformer::test {

inline std::vector<Record> read_files(const std::vector<std::string>& files,
                                      const ReaderSettings& settings = {}) {
  RecordReader reader(files, settings);
  std::vector<Record> records;
  Record record;
  while (reader.next(record)) records.push_back(std::move(record));
  return records;
}

/// The records of a file with this name and content.
inline std::vector<Record> read_text(std::string_view name,
                                     std::string_view content,
                                     const ReaderSettings& settings = {}) {
  const TempDir dir;
  return read_files({dir.write(name, content).string()}, settings);
}

inline std::vector<std::string> texts_of(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(record.text);
  return texts;
}

/// (text, label) of records whose labels are texts; no label reads as "-".
inline std::vector<std::pair<std::string, std::string>> pairs_of(
    const std::vector<Record>& records) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Record& record : records) {
    const auto* label = std::get_if<std::string>(&record.label);
    pairs.emplace_back(record.text, label == nullptr ? "-" : *label);
  }
  return pairs;
}

/// The message of the DataError that `action` must throw; "" if it does not.
inline std::string data_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no DataError";
  return {};
}

/// The message when a file with this name and content is read.
inline std::string reading_error(std::string_view name,
                                 std::string_view content,
                                 const ReaderSettings& settings = {}) {
  return data_error([&] { read_text(name, content, settings); });
}

}  // namespace longformer::test
