// SPDX-License-Identifier: MIT
#include "json_splitter.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"
#include "longformer/io/text_input.h"

namespace longformer {
namespace {

constexpr ByteSet kStructure("\"[]{},\n");
constexpr ByteSet kStringStops("\"\\\n");

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

void repair_utf8(std::string& text, std::int64_t& replaced) {
  if (find_invalid_utf8(text) == std::string::npos) return;
  std::int64_t count = 0;
  text = replace_invalid_utf8(text, &count);
  replaced += count;
}

bool JsonLinesSplitter::next(RawRow& row) {
  while (!source_.at_end()) {
    row.position.line = source_.line();
    row.json.clear();
    source_.take_line(row.json);
    if (row.json.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  return false;
}

bool JsonLinesSplitter::has_row() const {
  return end_of_first_line(source_.buffered()) != std::string_view::npos;
}

bool TextSplitter::has_row() const {
  return source_.buffered().find('\n') != std::string_view::npos;
}

bool TextSplitter::next(RawRow& row) {
  if (source_.at_end()) return false;
  row.position.line = source_.line();
  source_.take_line(row.record.text);
  if (row.record.text.ends_with('\r')) row.record.text.pop_back();
  repair_utf8(row.record.text, row.replaced);
  return true;
}

void JsonArraySplitter::fail(const std::string& reason) const {
  throw DataError(name_ + ":" + std::to_string(source_.line()) + ":" +
                  std::to_string(source_.column()) + ": " + reason);
}

void JsonArraySplitter::skip_blanks() {
  while (!source_.at_end() && is_blank(source_.peek())) source_.skip();
}

/// Moves to the first byte of the next element; false behind the last.
bool JsonArraySplitter::to_next_element() {
  skip_blanks();
  const bool first = state_ == State::kBefore;
  if (first && source_.at_end()) return false;  // An empty file.
  if (first && source_.peek() != '[') {
    fail(
        "a JSON array must begin with [; for one object a line set the option "
        "data_format to jsonl");
  }
  state_ = State::kInside;
  if (source_.at_end()) {
    fail("the array is not closed by ]; the file may be cut off");
  }
  if (first || source_.peek() == ',') {
    const bool after_comma = !first;
    source_.skip();
    skip_blanks();
    if (!source_.at_end() && source_.peek() != ']') return true;
    if (source_.at_end()) {
      fail("the array is not closed by ]; the file may be cut off");
    }
    if (after_comma) fail("a comma before the closing ]; remove it");
  }
  if (source_.peek() != ']') {
    fail("elements of the array must be separated by a comma");
  }
  source_.skip();
  state_ = State::kBehind;
  skip_blanks();
  if (!source_.at_end()) {
    fail(
        "there is more behind the closing ] of the array; put all rows into "
        "one array, or write one object a line (jsonl)");
  }
  return false;
}

bool JsonArraySplitter::next(RawRow& row) {
  if (state_ == State::kBehind || !to_next_element()) return false;
  row.position.line = source_.line();
  row.position.column = source_.column();
  take_element(row);
  return true;
}

bool JsonArraySplitter::has_row() const {
  const std::string_view text = source_.buffered();
  std::int64_t depth = 0;
  bool is_in_string = false;
  // Blanks, the comma and, before the first element, the array's own bracket.
  const std::size_t begin = text.find_first_not_of(
      state_ == State::kBefore ? " \t\r\n[" : " \t\r\n,");
  for (std::size_t i = std::min(begin, text.size()); i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (is_in_string) {
      continue;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      // The end of the array itself is no row.
      if (--depth <= 0) return i > begin;
    } else if (c == ',' && depth == 0) {
      return true;
    }
  }
  return false;
}

void JsonArraySplitter::take_element(RawRow& row) {
  std::int64_t depth = 0;
  while (true) {
    source_.take_run(kStructure, &row.json);
    if (source_.at_end()) {
      throw DataError(describe(name_, row.position) +
                      ": the element that begins here never ends; the file may "
                      "be cut off, or a bracket or quote is missing");
    }
    const char c = source_.peek();
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) break;
    source_.skip();
    row.json += c;
    if (c == '"') take_string(row.json);
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    // An object or list is over with its bracket; what follows must be a comma.
    if (depth == 0 && (c == ']' || c == '}')) return;
  }
  while (!row.json.empty() && is_blank(row.json.back())) row.json.pop_back();
  if (source_.peek() == '}') fail("a } without its {; fix the row");
  if (row.json.empty()) fail("an element is missing before the comma");
}

/// The rest of a string whose opening quote was taken.
void JsonArraySplitter::take_string(std::string& out) {
  while (true) {
    source_.take_run(kStringStops, &out);
    if (source_.at_end()) return;  // take_element reports it.
    const char c = source_.peek();
    source_.skip();
    out += c;
    if (c == '"') return;
    if (c == '\\' && !source_.at_end()) {
      out += source_.peek();
      source_.skip();
    }
  }
}

}  // namespace longformer
