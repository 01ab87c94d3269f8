// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace longformer {

/// A set of bytes at which CharSource::take_run stops.
class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) in_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool contains(char c) const {
    return in_[static_cast<unsigned char>(c)];
  }

 private:
  std::array<bool, 256> in_{};
};

/// The bytes of a file with their physical line and column (from 1), read in
/// pieces. Memory: about one piece.
class CharSource {
 public:
  /// `read_more` appends the next piece to its argument; false at the end.
  /// `lone_cr_ends_line`: a carriage return without line feed counts as a line
  /// end too, as in CSV.
  CharSource(std::function<bool(std::string&)> read_more,
             bool lone_cr_ends_line);

  bool at_end() { return begin_ == buffer_.size() && !refill(); }
  /// The next byte, which stays. Requires !at_end().
  char peek() const { return buffer_[begin_]; }
  /// Consumes the next byte. Requires !at_end().
  void skip();
  /// Consumes bytes up to one in `stops` or the end, appends them to `out`
  /// unless null, and returns their number. `stops` must contain the line ends.
  std::int64_t take_run(const ByteSet& stops, std::string* out);
  /// Consumes bytes up to and including the next line feed; appends what is
  /// before it. For sources without lone_cr_ends_line.
  void take_line(std::string& out);

  /// What was read but not consumed yet.
  std::string_view buffered() const {
    return std::string_view(buffer_).substr(begin_);
  }

  std::int64_t line() const { return line_; }
  std::int32_t column() const;

  /// What follows, at least `size` bytes if there are so many; nothing is
  /// consumed. `complete` tells whether it is all that is left.
  std::string_view look_ahead(std::size_t size, bool* complete);

 private:
  bool refill();

  std::function<bool(std::string&)> read_more_;
  bool lone_cr_ends_line_;
  bool after_cr_ = false;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< First byte not consumed.
  std::int64_t base_ = 0;  ///< Offset of buffer_[0] in the file.
  std::int64_t line_ = 1;
  std::int64_t line_start_ = 0;  ///< Offset in the file.
};

}  // namespace longformer
