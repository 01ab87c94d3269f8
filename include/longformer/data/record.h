// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longformer/base/strict_json.h"

namespace longformer {

/// Where a record came from. RecordReader::describe and Dataset::describe turn
/// it into "file:line:column" for messages.
struct SourcePosition {
  std::int32_t file = 0;    ///< Index into the list of files.
  std::int32_t column = 1;  ///< Byte in the line where the record starts.
  std::int64_t line = 0;    ///< Physical line where it starts, from 1.
  std::int64_t row = 0;     ///< Number of the record in its file, from 1.

  bool operator==(const SourcePosition&) const = default;
};

/// "data.csv:18:1", with the row where it is not the line: "data.csv:18:1 (row
/// 17)".
std::string describe(const std::string& file, const SourcePosition& position);

/// One label, or one element of a list of labels, as it stands in the file. A
/// CSV field is always text: what it means is decided for the whole file
/// (see label_map.h).
using LabelScalar = std::variant<std::string, std::int64_t, bool, double>;

/// The label of a record as it stands in the file; monostate when there is none
/// (no such key, JSON null).
using RawLabel = std::variant<std::monostate, std::string, std::int64_t, bool,
                              double, std::vector<LabelScalar>>;

/// One row of an input file.
struct Record {
  std::string text;
  std::optional<std::string> text_pair;
  RawLabel label;
  /// Given instead of text: the model's ids, special tokens included.
  std::optional<std::vector<std::int32_t>> input_ids;
  /// Token positions that attend globally, ascending. Given but empty (no
  /// token attends globally) differs from absent (the task's default).
  std::optional<std::vector<std::int32_t>> global_attention;
  /// One per input id; empty means all 0.
  std::vector<std::int32_t> token_type_ids;
  /// The value of the key or column "id", if there is one.
  std::optional<Json> id;
  SourcePosition position;
  /// Only with ReaderSettings::keep_bad_rows: why the row could not be read;
  /// then everything else but `position` is empty.
  std::string error;
};

}  // namespace longformer
