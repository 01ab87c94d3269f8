// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace longformer {

/// A stream of bytes from a file or, for the path "-", from standard input;
/// gzip is recognised by its first bytes, whatever the name, and unpacked (all
/// members; zero padding behind the last is ignored).
///
/// Damaged gzip ("truncated", "CRC") and other kinds of compression are a
/// DataError naming the file, as is a file that does not exist; what the
/// system refuses to read is a FileError. Memory: constant.
class TextInput {
 public:
  explicit TextInput(const std::string& path);
  ~TextInput();
  TextInput(TextInput&&) noexcept;
  TextInput& operator=(TextInput&&) noexcept;

  /// Reads up to `size` > 0 bytes; 0 only at the end.
  std::size_t read(char* destination, std::size_t size);

  /// The next up to `size` <= 64 KiB unpacked bytes without consuming them;
  /// fewer only when the input ends there. Valid until the next call.
  std::string_view peek(std::size_t size);

  /// What decides how the input is read: as peek() for a regular file, but of
  /// a pipe only up to the end of the first line that is not blank, since who
  /// writes it may wait for the answer before writing more.
  std::string_view peek_line(std::size_t size);

  /// Replaces `line` by the next line, without its line feed; false at the end.
  bool read_line(std::string& line);

  /// Not a regular file: what is not there yet may still come.
  bool is_pipe() const;
  /// Whether read() would have to wait for whoever writes the pipe. Costs about
  /// a millisecond if so, to bridge short gaps.
  bool would_wait() const;

  /// Everything that is left, at most `max_bytes` (a DataError beyond).
  std::string read_all(std::uint64_t max_bytes);

  /// The path, or "standard input"; for messages.
  const std::string& name() const;
  bool is_gzip() const;
  /// Size on disk, 0 when unknown, and how much of it was consumed; for
  /// progress.
  std::uint64_t stored_bytes() const;
  std::uint64_t stored_position() const;

 private:
  struct Stream;

  /// Up to `size` bytes, at least `wanted` unless the input ends.
  std::string_view peek(std::size_t size, std::size_t wanted);

  std::unique_ptr<Stream> stream_;
};

/// Where the first line of `text` that is not blank ends, behind its line feed;
/// npos if that is not in `text`.
std::size_t end_of_first_line(std::string_view text);

}  // namespace longformer
