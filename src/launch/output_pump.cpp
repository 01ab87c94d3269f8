// SPDX-License-Identifier: MIT
#include "output_pump.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <climits>

namespace longformer {
namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 16;
constexpr std::size_t kMaxPending = std::size_t{1} << 18;
constexpr std::string_view kEraseLine = "\x1b[K";

/// One line, without its newline, as it ends up on the terminal.
std::string shown_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t start = line.rfind('\r');
  if (start != std::string_view::npos) line.remove_prefix(start + 1);
  std::string text(line);
  for (;;) {
    const std::size_t at = text.find(kEraseLine);
    if (at == std::string::npos) return text;
    text.erase(at, kEraseLine.size());
  }
}

}  // namespace

std::string LineFilter::add(std::string_view text) {
  std::string lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    line_ += text.substr(0, end);
    if (end == std::string_view::npos) break;
    lines += shown_line(line_) + "\n";
    line_.clear();
    text.remove_prefix(end + 1);
  }
  // Rewritten states of a line need not be kept; the newest begins behind the
  // last return but one, since a line may end in "\r\n".
  if (line_.size() > kMaxLine) {
    const std::size_t last = line_.rfind('\r', line_.size() - 2);
    if (last != std::string::npos) {
      line_.erase(0, last);
    } else {
      lines += line_;
      line_.clear();
    }
  }
  return lines;
}

std::string LineFilter::finish() {
  const std::string text = shown_line(std::exchange(line_, {}));
  return text.empty() ? text : text + "\n";
}

OutputPump::OutputPump(Descriptor source, int target, int log)
    : source_(std::move(source)), target_(target), log_(log) {
  set_nonblocking(source_);
}

bool OutputPump::wants_to_read() const {
  return source_.is_open() && pending_.size() < kMaxPending;
}

void OutputPump::read() { read_once(); }

/// The number of bytes; 0: there are none now, or no more.
std::size_t OutputPump::read_once() {
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  do {
    count = ::read(source_.get(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) {
    if (count == 0 || errno != EAGAIN) source_.close();
    return 0;
  }
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  if (target_ >= 0) pending_ += text;
  log(filter_.add(text));
  return text.size();
}

void OutputPump::write() {
  // After poll a pipe takes this much; the descriptor is shared with other
  // processes, so it must not become non-blocking.
  const std::size_t size = std::min<std::size_t>(pending_.size(), PIPE_BUF);
  const ssize_t count = ::write(target_, pending_.data(), size);
  if (count >= 0) {
    pending_.erase(0, static_cast<std::size_t>(count));
  } else if (errno != EINTR && errno != EAGAIN) {
    // The reader or the terminal is gone; the run goes on, with its log.
    target_ = -1;
    pending_.clear();
  }
}

void OutputPump::finish() {
  // Whoever still holds the pipe could write for ever.
  constexpr std::size_t kMost = std::size_t{1} << 22;
  std::size_t taken = 0;
  while (source_.is_open() && taken < kMost) {
    const std::size_t count = read_once();
    if (count == 0) break;
    taken += count;
  }
  log(filter_.finish());
  source_.close();
}

void OutputPump::log(std::string_view text) const {
  // A log that cannot be written (the disk is full) does not end the run; the
  // processes themselves will say so.
  while (!text.empty()) {
    const ssize_t count = ::write(log_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace longformer
