// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "char_source.h"
#include "row_splitter.h"

namespace longformer {

/// JSON lines: every line that is not blank is a row.
class JsonLinesSplitter : public RowSplitter {
 public:
  /// `source` must outlive the splitter.
  explicit JsonLinesSplitter(CharSource& source) : source_(source) {}
  bool next(RawRow& row) override;
  bool has_row() const override;

 private:
  CharSource& source_;
};

/// The elements of one JSON array. Only brackets, strings and commas are looked
/// at; the elements are checked when they are parsed.
class JsonArraySplitter : public RowSplitter {
 public:
  /// `name`: of the file, for errors. `source` must outlive the splitter.
  JsonArraySplitter(CharSource& source, std::string name)
      : source_(source), name_(std::move(name)) {}
  bool next(RawRow& row) override;
  bool has_row() const override;

 private:
  bool to_next_element();
  void skip_blanks();
  void take_element(RawRow& row);
  void take_string(std::string& out);
  [[noreturn]] void fail(const std::string& reason) const;

  CharSource& source_;
  std::string name_;
  enum class State { kBefore, kInside, kBehind } state_ = State::kBefore;
};

/// Plain text: every line is a document.
class TextSplitter : public RowSplitter {
 public:
  /// `source` must outlive the splitter.
  explicit TextSplitter(CharSource& source) : source_(source) {}
  bool next(RawRow& row) override;
  bool has_row() const override;

 private:
  CharSource& source_;
};

}  // namespace longformer
