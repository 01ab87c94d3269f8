// SPDX-License-Identifier: MIT
#include "training_lines.h"

#include "longformer/base/utf8.h"

#include "unicode_classes.h"

namespace longformer {
namespace {

/// U+2581 stands for a blank inside the trainer, and U+2585 for a character
/// without piece; NUL ends strings in its tables.
bool is_reserved(char32_t code_point) {
  return code_point == 0x2581 || code_point == 0x2585 || code_point == 0;
}

class LineCutter {
 public:
  explicit LineCutter(std::deque<std::string>& lines) : lines_(lines) {}

  void add_char(std::string_view bytes) {
    if (line_.size() + word_.size() + bytes.size() + 1 > kLongestTrainingLine) {
      if (line_.empty()) {
        end_word();
      }
      end_line();
    }
    word_ += bytes;
  }

  void end_word() {
    if (word_.empty()) return;
    if (!line_.empty()) line_ += ' ';
    line_ += word_;
    word_.clear();
  }

  /// A word that has begun goes to the next line.
  void end_line() {
    if (!line_.empty()) lines_.push_back(std::move(line_));
    line_.clear();
  }

 private:
  std::deque<std::string>& lines_;
  std::string line_;
  std::string word_;
};

}  // namespace

void append_training_lines(std::string_view text,
                           std::deque<std::string>& lines) {
  const UnicodeClasses& classes = unicode_classes();
  LineCutter cutter(lines);
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint code = decode_utf8(text, i);
    const auto bytes = static_cast<std::size_t>(code.bytes);
    if (classes.is_space(code.code_point) || is_reserved(code.code_point)) {
      cutter.end_word();
      if (code.code_point == '\n') cutter.end_line();
    } else if (code.valid) {
      cutter.add_char(text.substr(i, bytes));
    } else {
      cutter.add_char("\xEF\xBF\xBD");
    }
    i += bytes;
  }
  cutter.end_word();
  cutter.end_line();
}

}  // namespace longformer
