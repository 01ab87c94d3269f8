// SPDX-License-Identifier: MIT
#include "char_source.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace longformer {

CharSource::CharSource(std::function<bool(std::string&)> read_more,
                       bool lone_cr_ends_line)
    : read_more_(std::move(read_more)), lone_cr_ends_line_(lone_cr_ends_line) {}

bool CharSource::refill() {
  base_ += static_cast<std::int64_t>(begin_);
  buffer_.erase(0, begin_);
  begin_ = 0;
  return read_more_(buffer_);
}

void CharSource::skip() {
  const char c = buffer_[begin_++];
  const bool crlf = c == '\n' && after_cr_;
  after_cr_ = lone_cr_ends_line_ && c == '\r';
  if (c == '\n' || after_cr_) {
    if (!crlf) ++line_;
    line_start_ = base_ + static_cast<std::int64_t>(begin_);
  }
}

std::int64_t CharSource::take_run(const ByteSet& stops, std::string* out) {
  std::int64_t taken = 0;
  while (!at_end()) {
    std::size_t end = begin_;
    while (end < buffer_.size() && !stops.contains(buffer_[end])) ++end;
    if (out != nullptr) out->append(buffer_, begin_, end - begin_);
    if (end > begin_) after_cr_ = false;
    taken += static_cast<std::int64_t>(end - begin_);
    begin_ = end;
    if (end < buffer_.size()) break;
  }
  return taken;
}

void CharSource::take_line(std::string& out) {
  while (!at_end()) {
    const std::size_t end = buffer_.find('\n', begin_);
    const std::size_t stop = std::min(end, buffer_.size());
    out.append(buffer_, begin_, stop - begin_);
    begin_ = stop;
    if (end != std::string::npos) {
      skip();
      return;
    }
  }
}

std::int32_t CharSource::column() const {
  const std::int64_t column =
      base_ + static_cast<std::int64_t>(begin_) - line_start_ + 1;
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(column, std::numeric_limits<std::int32_t>::max()));
}

std::string_view CharSource::look_ahead(std::size_t size, bool* complete) {
  bool more = true;
  while (buffer_.size() - begin_ < size && more) more = read_more_(buffer_);
  *complete = !more;
  return std::string_view(buffer_).substr(begin_);
}

}  // namespace longformer
