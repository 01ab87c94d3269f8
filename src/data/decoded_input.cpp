// SPDX-License-Identifier: MIT
#include "decoded_input.h"

#include <algorithm>
#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

#include "byte_at.h"
#include "encoding_guess.h"

namespace longformer {
namespace {

constexpr std::size_t kSampleBytes = 64 << 10;
constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";
constexpr std::string_view kUtf32LittleMark("\xFF\xFE\0\0", 4);

[[noreturn]] void refuse(const std::string& name, const std::string& encoding,
                         const std::string& advice) {
  throw DataError(name + ": looks like " + encoding + "; " + advice);
}

std::string convert_from(const std::string& encoding) {
  return "convert the file with iconv -f " + encoding + " -t UTF-8";
}

/// Text of which no encoding with units of two bytes has that much: JSON, and
/// the header line of a table, hold ASCII characters.
bool is_utf8_only(std::string_view sample) {
  return sample.size() > 1 && sample.find('\0') == std::string_view::npos &&
         find_invalid_utf8(sample) == std::string_view::npos;
}

std::int64_t count_characters_beyond_ascii(std::string_view text) {
  constexpr unsigned char kFirstByteOfSeveral = 0xC0;
  return std::count_if(text.begin(), text.end(), [](unsigned char c) {
    return c >= kFirstByteOfSeveral;
  });
}

}  // namespace

DecodedInput::DecodedInput(const std::string& path, TextEncoding encoding)
    : input_(path) {
  choose_decoder(encoding);
}

bool DecodedInput::take_mark(std::string_view sample, std::string_view mark) {
  if (!sample.starts_with(mark)) return false;
  std::string skipped(mark.size(), '\0');
  input_.read(skipped.data(), skipped.size());
  bytes_read_ += static_cast<std::int64_t>(mark.size());
  return true;
}

std::string_view DecodedInput::peek_sample() {
  const std::string_view line = input_.peek_line(kSampleBytes);
  const bool is_clear = line.find('\0') == std::string_view::npos ||
                        line.starts_with(kUtf16LittleMark) ||
                        line.starts_with(kUtf16BigMark);
  return is_clear ? line : input_.peek(kSampleBytes);
}

void DecodedInput::choose_decoder(TextEncoding encoding) {
  const std::string_view sample = peek_sample();
  const WideEncoding wide = guess_wide_encoding(sample);
  switch (encoding) {
    case TextEncoding::kUtf8:
      take_mark(sample, kUtf8Mark);
      return;
    case TextEncoding::kLatin1:
      decoder_ = Decoder::kLatin1;
      return;
    case TextEncoding::kUtf16:
      decoder_ = wide == WideEncoding::kUtf16Big ? Decoder::kUtf16Big
                                                 : Decoder::kUtf16Little;
      if (take_mark(sample, kUtf16LittleMark)) {
        decoder_ = Decoder::kUtf16Little;
      } else if (take_mark(sample, kUtf16BigMark)) {
        decoder_ = Decoder::kUtf16Big;
      } else if (is_utf8_only(sample)) {
        throw DataError(name() +
                        ": is not UTF-16, which encoding says: it has neither "
                        "a byte order mark nor a zero byte, and reads well as "
                        "UTF-8; leave the option encoding out");
      }
      return;
    case TextEncoding::kAuto:
      break;
  }
  if (wide == WideEncoding::kUtf32Little ||
      sample.starts_with(kUtf32LittleMark)) {
    refuse(name(), "UTF-32", convert_from("UTF-32LE"));
  }
  if (wide == WideEncoding::kUtf32Big) {
    refuse(name(), "UTF-32", convert_from("UTF-32BE"));
  }
  refuse_iso_2022(sample);
  if (take_mark(sample, kUtf16LittleMark)) {
    decoder_ = Decoder::kUtf16Little;
  } else if (take_mark(sample, kUtf16BigMark)) {
    decoder_ = Decoder::kUtf16Big;
  } else if (wide != WideEncoding::kNone) {
    refuse(name(), "UTF-16 without a byte order mark",
           "set the option encoding to utf-16, or " +
               convert_from(wide == WideEncoding::kUtf16Big ? "UTF-16BE"
                                                            : "UTF-16LE"));
  } else {
    take_mark(sample, kUtf8Mark);
    check_needed_ = true;
  }
}

std::string_view DecodedInput::encoding_name() const {
  switch (decoder_) {
    case Decoder::kUtf16Little:
    case Decoder::kUtf16Big:
      return "UTF-16";
    case Decoder::kLatin1:
      return "Latin-1";
    case Decoder::kUtf8:
      break;
  }
  return "UTF-8";
}

void DecodedInput::check_utf8(std::string_view piece) {
  const std::size_t bad = find_invalid_utf8(piece);
  if (bad == std::string_view::npos) return;
  if (bad + 3 >= piece.size() && piece.size() >= kPieceBytes) return;  // Cut.
  judge(piece, 0, bad);
}

/// `text`, which begins `offset` bytes behind what was read before, is
/// ill-formed at `bad`.
void DecodedInput::judge(std::string_view text, std::size_t offset,
                         std::size_t bad) {
  check_needed_ = false;
  const auto reason = foreign_encoding(text, well_formed_);
  if (!reason) return;
  throw DataError(name() + ": byte " +
                  std::to_string(bytes_read_ +
                                 static_cast<std::int64_t>(offset + bad) + 1) +
                  " is not UTF-8; " + *reason +
                  "; with encoding utf-8 such bytes are read as U+FFFD");
}

void DecodedInput::refuse_iso_2022(std::string_view text) const {
  if (!has_iso_2022_escapes(text)) return;
  refuse(name(), "ISO-2022-JP",
         convert_from("ISO-2022-JP") + ", or set encoding to utf-8");
}

void DecodedInput::check_escapes(std::string_view lines) const {
  if (lines.find('\x1B') == std::string_view::npos) return;
  for (std::size_t begin = 0; begin < lines.size();) {
    if (bytes_read_ + static_cast<std::int64_t>(begin) >=
        static_cast<std::int64_t>(kSampleBytes)) {
      return;
    }
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    refuse_iso_2022(lines.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// `is_cut`: this is the start of a line that is too long.
void DecodedInput::check_lines(std::string_view lines, bool is_cut) {
  check_escapes(lines);
  const std::size_t bad = find_invalid_utf8(lines);
  const bool is_bad =
      bad != std::string_view::npos && !(is_cut && bad + 3 >= lines.size());
  std::size_t begin = lines.size();
  if (is_bad) begin = bad == 0 ? 0 : lines.rfind('\n', bad - 1) + 1;
  well_formed_ += count_characters_beyond_ascii(lines.substr(0, begin));
  if (!is_bad) return;
  const std::string_view line =
      lines.substr(begin, lines.find('\n', bad) - begin);
  judge(line, begin, bad - begin);
}

/// Appends whole lines. raw_ keeps the start of a line whose end has not come.
bool DecodedInput::read_lines(std::string& out) {
  while (true) {
    const std::size_t before = raw_.size();
    raw_.resize(std::min(before + kSampleBytes, kPieceBytes));
    raw_.resize(before +
                input_.read(raw_.data() + before, raw_.size() - before));
    std::size_t end = raw_.rfind('\n') + 1;  // 0: there is none.
    const bool is_cut = end == 0 && raw_.size() == kPieceBytes;
    const bool is_last = raw_.size() == before;
    if (is_last || is_cut) end = raw_.size();
    if (end == 0 && is_last) return false;
    if (end == 0) continue;
    const auto lines = std::string_view(raw_).substr(0, end);
    if (check_needed_) check_lines(lines, is_cut);
    bytes_read_ += static_cast<std::int64_t>(end);
    out.append(lines);
    raw_.erase(0, end);
    return true;
  }
}

bool DecodedInput::read_more(std::string& out) {
  if (decoder_ == Decoder::kUtf8 && input_.is_pipe() &&
      (check_needed_ || !raw_.empty())) {
    return read_lines(out);
  }
  const std::size_t before = out.size();
  while (out.size() == before) {
    if (decoder_ == Decoder::kUtf8) {
      out.resize(before + kPieceBytes);
      const std::size_t size = input_.read(out.data() + before, kPieceBytes);
      out.resize(before + size);
      if (size == 0) return false;
      const auto piece = std::string_view(out).substr(before);
      if (check_needed_) check_utf8(piece);
      bytes_read_ += static_cast<std::int64_t>(size);
      continue;
    }
    raw_.resize(kPieceBytes);
    raw_.resize(input_.read(raw_.data(), raw_.size()));
    if (raw_.empty()) {
      finish_utf16(out);
      return out.size() > before;
    }
    if (decoder_ == Decoder::kLatin1) {
      for (const char c : raw_) append_utf8(static_cast<unsigned char>(c), out);
    } else {
      decode_utf16(raw_, out);
    }
  }
  return true;
}

void DecodedInput::decode_utf16(std::string_view bytes, std::string& out) {
  std::string joined;
  if (!odd_byte_.empty()) {
    joined = odd_byte_ + std::string(bytes);
    odd_byte_.clear();
    bytes = joined;
  }
  const std::size_t low = decoder_ == Decoder::kUtf16Little ? 0 : 1;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    put_utf16_unit(static_cast<char16_t>(byte_at(bytes, i + low) |
                                         byte_at(bytes, i + 1 - low) << 8),
                   out);
  }
  if (bytes.size() % 2 != 0) odd_byte_ = bytes.back();
}

void DecodedInput::put_utf16_unit(char16_t unit, std::string& out) {
  constexpr char32_t kReplacement = 0xFFFD;
  const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (high_surrogate_ != 0) {
    const char32_t high = high_surrogate_;
    high_surrogate_ = 0;
    if (is_low) {
      append_utf8(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00U), out);
      return;
    }
    append_utf8(kReplacement, out);
    ++replaced_;
  }
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    high_surrogate_ = unit;
  } else if (is_low) {
    append_utf8(kReplacement, out);
    ++replaced_;
  } else {
    append_utf8(unit, out);
  }
}

void DecodedInput::finish_utf16(std::string& out) {
  if (odd_byte_.empty() && high_surrogate_ == 0) return;
  odd_byte_.clear();
  high_surrogate_ = 0;
  append_utf8(0xFFFD, out);
  ++replaced_;
}

}  // namespace longformer
