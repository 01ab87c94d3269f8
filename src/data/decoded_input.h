// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longformer/config/data_options.h"
#include "longformer/io/text_input.h"

namespace longformer {

/// The bytes of an input file as UTF-8, a byte order mark removed.
///
/// UTF-8 is passed on as it is, ill-formed parts included (readers replace
/// them in the rows where they are). With encoding auto, a file that looks like
/// Latin-1, UTF-16 without a byte order mark, UTF-32 or another encoding is
/// refused with advice. A pipe is judged line by line, by what came before
/// each, so that whoever writes it may wait for the answer to a line, and the
/// outcome does not depend on the pieces in which it delivers. Memory:
/// constant.
class DecodedInput {
 public:
  /// Throws what TextInput throws; DataError for an encoding it refuses.
  DecodedInput(const std::string& path, TextEncoding encoding);

  /// Appends the next piece, at least one byte; false at the end.
  bool read_more(std::string& out);

  /// The path, or "standard input".
  const std::string& name() const { return input_.name(); }
  bool is_pipe() const { return input_.is_pipe(); }
  /// Whether read_more() would have to wait; see TextInput.
  bool would_wait() const { return input_.would_wait(); }
  /// "UTF-8", "UTF-16", ...; for the log.
  std::string_view encoding_name() const;
  /// Ill-formed UTF-16 units that became U+FFFD.
  std::int64_t replaced() const { return replaced_; }

 private:
  enum class Decoder { kUtf8, kUtf16Little, kUtf16Big, kLatin1 };

  void choose_decoder(TextEncoding encoding);
  std::string_view peek_sample();
  bool take_mark(std::string_view sample, std::string_view mark);
  void check_utf8(std::string_view piece);
  bool read_lines(std::string& out);
  void check_lines(std::string_view lines, bool is_cut);
  void refuse_iso_2022(std::string_view text) const;
  void check_escapes(std::string_view lines) const;
  void judge(std::string_view text, std::size_t offset, std::size_t bad);
  void decode_utf16(std::string_view bytes, std::string& out);
  void put_utf16_unit(char16_t unit, std::string& out);
  void finish_utf16(std::string& out);

  TextInput input_;
  Decoder decoder_ = Decoder::kUtf8;
  bool check_needed_ = false;  ///< Nothing ill-formed seen so far.
  std::int64_t bytes_read_ = 0;
  std::int64_t replaced_ = 0;
  /// Before what was read last: characters that UTF-8 has beyond ASCII.
  std::int64_t well_formed_ = 0;
  std::string raw_;       ///< The piece as read, or the start of a line.
  std::string odd_byte_;  ///< UTF-16: a byte without its partner.
  char16_t high_surrogate_ = 0;
};

}  // namespace longformer
