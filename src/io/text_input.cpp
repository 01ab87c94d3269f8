// SPDX-License-Identifier: MIT
#include "longformer/io/text_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include <zlib.h>

#include "longformer/base/error.h"

#include "file_operations.h"
#include "foreign_text.h"

namespace longformer {
namespace {

constexpr std::size_t kStoredBytes = std::size_t{1} << 16;
constexpr std::size_t kPlainBytes = std::size_t{1} << 17;
constexpr std::size_t kMaxPeek = std::size_t{1} << 16;

/// A pipe that is filled while it is read is empty for moments.
constexpr int kPatienceMs = 1;

}  // namespace

std::size_t end_of_first_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return begin;
  const std::size_t end = text.find('\n', begin);
  return end == std::string_view::npos ? end : end + 1;
}

struct TextInput::Stream {
  explicit Stream(const std::string& path);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(name + ": " + reason);
  }

  void recognise();
  /// Reads more stored bytes behind those that are there; false at the end.
  bool read_stored();
  /// Unpacks or copies until more plain bytes are there; false at the end.
  bool fill();
  bool fill_from_gzip();
  /// Skips to the next gzip member; false if there is none.
  bool next_member();

  std::size_t num_plain() const { return plain_end - plain_begin; }

  std::string name;
  Descriptor owned;
  int descriptor = 0;
  bool is_pipe = true;  ///< Or a terminal, device, socket: may have to wait.
  std::uint64_t stored_size = 0;
  std::uint64_t stored_read = 0;
  std::vector<char> stored = std::vector<char>(kStoredBytes);
  std::size_t stored_begin = 0;
  std::size_t stored_end = 0;
  bool is_stored_end = false;
  std::vector<char> plain = std::vector<char>(kPlainBytes);
  std::size_t plain_begin = 0;
  std::size_t plain_end = 0;
  bool is_gzip = false;
  bool is_inside_member = false;
  z_stream inflater{};
};

TextInput::Stream::Stream(const std::string& path)
    : name(path == "-" ? "standard input" : path) {
  if (path != "-") {
    owned = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    descriptor = owned.get();
    if (!owned.is_open() && (errno == ENOENT || errno == ENOTDIR)) {
      fail("does not exist; check the path");
    }
    if (!owned.is_open()) file_operations::fail(path, "open", errno);
  }
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("is a folder, not a file");
    is_pipe = !S_ISREG(status.st_mode);
    if (!is_pipe) {
      stored_size = static_cast<std::uint64_t>(status.st_size);
    }
  }
  recognise();
}

TextInput::Stream::~Stream() {
  if (is_gzip) ::inflateEnd(&inflater);
}

bool TextInput::Stream::read_stored() {
  if (is_stored_end) return false;
  if (stored_begin == stored_end) stored_begin = stored_end = 0;
  while (true) {
    const ssize_t count = ::read(descriptor, stored.data() + stored_end,
                                 stored.size() - stored_end);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file_operations::fail(name, "read", errno);
    is_stored_end = count == 0;
    stored_end += static_cast<std::size_t>(count);
    stored_read += static_cast<std::uint64_t>(count);
    return count > 0;
  }
}

void TextInput::Stream::recognise() {
  read_stored();
  // A pipe may deliver single bytes; wait only where it could be binary.
  while (may_become_binary({stored.data(), stored_end}) && read_stored()) {
  }
  const std::string_view start(stored.data(), stored_end);
  if (const auto kind = foreign_kind(start)) fail("is " + *kind);
  if (!start.starts_with("\x1F\x8B")) return;
  // 15 + 16: the largest window, with gzip's header and checksum.
  if (::inflateInit2(&inflater, 15 + 16) != Z_OK) throw std::bad_alloc();
  is_gzip = true;
  is_inside_member = true;
}

bool TextInput::Stream::fill() {
  if (plain_begin == plain_end) plain_begin = plain_end = 0;
  if (plain_begin > 0 && plain_end == plain.size()) {
    std::memmove(plain.data(), plain.data() + plain_begin, num_plain());
    plain_end -= plain_begin;
    plain_begin = 0;
  }
  if (is_gzip) return fill_from_gzip();
  if (stored_begin == stored_end && !read_stored()) return false;
  const std::size_t count =
      std::min(stored_end - stored_begin, plain.size() - plain_end);
  std::memcpy(plain.data() + plain_end, stored.data() + stored_begin, count);
  stored_begin += count;
  plain_end += count;
  return true;
}

bool TextInput::Stream::next_member() {
  bool has_padding = false;
  while (true) {
    while (stored_begin < stored_end && stored[stored_begin] == '\0') {
      ++stored_begin;
      has_padding = true;
    }
    if (stored_begin < stored_end) break;
    if (!read_stored()) return false;
  }
  if (stored_end - stored_begin < 2) {
    // The second byte is needed; make room behind the first.
    stored[0] = stored[stored_begin];
    stored_begin = 0;
    stored_end = 1;
    read_stored();
  }
  const std::string_view start(stored.data() + stored_begin,
                               stored_end - stored_begin);
  if (!start.starts_with("\x1F\x8B")) {
    fail(std::string("the gzip data are followed by something else") +
         (has_padding ? " behind zeros" : "") +
         "; the file is corrupt, get it again");
  }
  ::inflateReset(&inflater);
  is_inside_member = true;
  return true;
}

bool TextInput::Stream::fill_from_gzip() {
  const std::size_t before = plain_end;
  while (plain_end == before) {
    if (!is_inside_member && !next_member()) return false;
    if (stored_begin == stored_end && !read_stored()) {
      fail("the gzip data are truncated: the file ends after " +
           std::to_string(stored_read) +
           " bytes in the middle of a member; "
           "get it again");
    }
    inflater.next_in = reinterpret_cast<Bytef*>(stored.data() + stored_begin);
    inflater.avail_in = static_cast<uInt>(stored_end - stored_begin);
    inflater.next_out = reinterpret_cast<Bytef*>(plain.data() + plain_end);
    inflater.avail_out = static_cast<uInt>(plain.size() - plain_end);
    const int result = ::inflate(&inflater, Z_NO_FLUSH);
    stored_begin = stored_end - inflater.avail_in;
    plain_end = plain.size() - inflater.avail_out;
    if (result == Z_STREAM_END) {
      is_inside_member = false;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      const std::string why = inflater.msg != nullptr ? inflater.msg : "";
      fail((why == "incorrect data check" || why == "incorrect length check"
                ? "the checksum (CRC) or length of the gzip data is wrong"
                : "the gzip data are corrupt (" + why + ")") +
           " before byte " + std::to_string(stored_read) +
           " of the file; get it again");
    }
  }
  return true;
}

TextInput::TextInput(const std::string& path)
    : stream_(std::make_unique<Stream>(path)) {}
TextInput::~TextInput() = default;
TextInput::TextInput(TextInput&&) noexcept = default;
TextInput& TextInput::operator=(TextInput&&) noexcept = default;

std::size_t TextInput::read(char* destination, std::size_t size) {
  Stream& stream = *stream_;
  if (stream.num_plain() == 0 && !stream.fill()) return 0;
  const std::size_t count = std::min(size, stream.num_plain());
  std::memcpy(destination, stream.plain.data() + stream.plain_begin, count);
  stream.plain_begin += count;
  return count;
}

std::string_view TextInput::peek(std::size_t size) { return peek(size, size); }

std::string_view TextInput::peek(std::size_t size, std::size_t wanted) {
  Stream& stream = *stream_;
  size = std::min(size, kMaxPeek);
  wanted = std::min(wanted, kMaxPeek);
  while (stream.num_plain() < wanted && stream.fill()) {
  }
  return {stream.plain.data() + stream.plain_begin,
          std::min(size, stream.num_plain())};
}

std::string_view TextInput::peek_line(std::size_t size) {
  if (!stream_->is_pipe) return peek(size);
  // One byte more at a time, where there is no more yet.
  for (std::size_t wanted = 1;; ++wanted) {
    const std::string_view all = peek(kMaxPeek, wanted);
    const std::string_view start = all.substr(0, size);
    const std::size_t end = end_of_first_line(start);
    if (end != std::string_view::npos) return start.substr(0, end);
    if (start.size() == size || all.size() < wanted) return start;
    wanted = all.size();
  }
}

bool TextInput::read_line(std::string& line) {
  Stream& stream = *stream_;
  line.clear();
  bool is_read = false;
  while (stream.num_plain() > 0 || stream.fill()) {
    is_read = true;
    const std::string_view rest(stream.plain.data() + stream.plain_begin,
                                stream.num_plain());
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    line.append(rest, 0, end);
    stream.plain_begin += std::min(end + 1, rest.size());
    if (end < rest.size()) break;
  }
  return is_read;
}

bool TextInput::is_pipe() const { return stream_->is_pipe; }

bool TextInput::would_wait() const {
  const Stream& stream = *stream_;
  if (!stream.is_pipe || stream.is_stored_end || stream.num_plain() > 0 ||
      stream.stored_begin < stream.stored_end) {
    return false;
  }
  pollfd readable{stream.descriptor, POLLIN, 0};
  int status = 0;
  do {
    status = ::poll(&readable, 1, kPatienceMs);
  } while (status < 0 && errno == EINTR);
  return status == 0;
}

std::string TextInput::read_all(std::uint64_t max_bytes) {
  std::string text;
  std::vector<char> chunk(kPlainBytes);
  while (const std::size_t count = read(chunk.data(), chunk.size())) {
    if (text.size() + count > max_bytes) {
      stream_->fail("has more than " + std::to_string(max_bytes) +
                    " bytes, which is too large here");
    }
    text.append(chunk.data(), count);
  }
  return text;
}

const std::string& TextInput::name() const { return stream_->name; }
bool TextInput::is_gzip() const { return stream_->is_gzip; }
std::uint64_t TextInput::stored_bytes() const { return stream_->stored_size; }
std::uint64_t TextInput::stored_position() const {
  return stream_->stored_read - (stream_->stored_end - stream_->stored_begin);
}

}  // namespace longformer
