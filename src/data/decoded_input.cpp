// SPDX-License-Identifier: MIT
#include "decoded_input.h"

#include <algorithm>
#include <cstddef>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

namespace longformer {
namespace {

constexpr std::size_t kSampleBytes = 64 << 10;
constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";

/// Text that is mostly ASCII has a zero in every second byte in UTF-16.
struct ZeroBytes {
  bool suggest_little = false;
  bool suggest_big = false;

  explicit ZeroBytes(std::string_view sample) {
    std::size_t even = 0;
    std::size_t odd = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (sample[i] == '\0') ++(i % 2 == 0 ? even : odd);
    }
    const std::size_t many = sample.size() / 5;  // 2 in 5 units.
    suggest_little = odd > many && even * 20 < odd;
    suggest_big = even > many && odd * 20 < even;
  }
};

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_ascii_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether the bytes above ASCII are those of Western text in Latin-1 or
/// Windows-1252: single letters among ASCII ones, or typographic signs; none of
/// them part of valid UTF-8.
bool looks_like_latin1(std::string_view text) {
  std::size_t high = 0;
  std::size_t plausible = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = byte_at(text, i);
    if (c < 0x80) continue;
    ++high;
    const DecodedCodePoint decoded = decode_utf8(text, i);
    // A cut character at the end of the sample is no evidence.
    if (decoded.valid) return false;
    const bool before = i > 0 && is_ascii_letter(byte_at(text, i - 1));
    const bool after =
        i + 1 < text.size() && is_ascii_letter(byte_at(text, i + 1));
    // Neither y with diaeresis nor thorn (0xFF, 0xFE): stray bytes far more
    // often than letters.
    const bool letter = c >= 0xC0 && c < 0xFE && c != 0xD7 && c != 0xF7;
    const bool sign = c == 0x85 || (c >= 0x91 && c <= 0x97) || c == 0xA0 ||
                      c == 0xA3 || c == 0xA7 || c == 0xA9 || c == 0xAB ||
                      c == 0xB0 || c == 0xBB;
    if ((letter && (before || after)) || sign) ++plausible;
  }
  return high > 0 && plausible * 10 >= high * 9;
}

/// Whether so much is ill-formed that the text cannot be UTF-8 with a few
/// damaged places.
bool mostly_ill_formed(std::string_view text) {
  std::int64_t ill_formed = 0;
  replace_invalid_utf8(text, &ill_formed);
  return ill_formed >= 64 &&
         ill_formed * 20 > static_cast<std::int64_t>(text.size());
}

}  // namespace

DecodedInput::DecodedInput(const std::string& path, TextEncoding encoding)
    : input_(path) {
  choose_decoder(encoding);
}

bool DecodedInput::take_mark(std::string_view mark) {
  if (input_.peek(mark.size()) != mark) return false;
  std::string skipped(mark.size(), '\0');
  input_.read(skipped.data(), skipped.size());
  bytes_read_ += static_cast<std::int64_t>(mark.size());
  return true;
}

void DecodedInput::choose_decoder(TextEncoding encoding) {
  const ZeroBytes zeros(input_.peek(kSampleBytes));
  switch (encoding) {
    case TextEncoding::kUtf8:
      take_mark(kUtf8Mark);
      return;
    case TextEncoding::kLatin1:
      decoder_ = Decoder::kLatin1;
      return;
    case TextEncoding::kUtf16:
      decoder_ = zeros.suggest_big ? Decoder::kUtf16Big : Decoder::kUtf16Little;
      if (take_mark(kUtf16LittleMark)) decoder_ = Decoder::kUtf16Little;
      if (take_mark(kUtf16BigMark)) decoder_ = Decoder::kUtf16Big;
      return;
    case TextEncoding::kAuto:
      break;
  }
  if (take_mark(kUtf8Mark)) {
    check_needed_ = true;
  } else if (input_.peek(4) == std::string_view("\xFF\xFE\0\0", 4)) {
    throw DataError(name() +
                    ": looks like UTF-32, which is not read; convert it with "
                    "iconv -f UTF-32 -t UTF-8");
  } else if (take_mark(kUtf16LittleMark)) {
    decoder_ = Decoder::kUtf16Little;
  } else if (take_mark(kUtf16BigMark)) {
    decoder_ = Decoder::kUtf16Big;
  } else if (zeros.suggest_little || zeros.suggest_big) {
    throw DataError(name() +
                    ": looks like UTF-16 without a byte order mark; set the "
                    "option encoding to utf-16, or convert the file with iconv "
                    "-f UTF-16" +
                    (zeros.suggest_little ? "LE" : "BE") + " -t UTF-8");
  } else {
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
  check_needed_ = false;
  const std::string where =
      name() + ": byte " +
      std::to_string(bytes_read_ + static_cast<std::int64_t>(bad) + 1) +
      " is not UTF-8";
  constexpr std::string_view kReplace =
      "; with encoding utf-8 such bytes are read as U+FFFD";
  if (looks_like_latin1(piece)) {
    throw DataError(where +
                    "; the file looks like Latin-1 (ISO-8859-1) or "
                    "Windows-1252: set the option encoding to latin-1, or "
                    "convert it with iconv -f WINDOWS-1252 -t UTF-8" +
                    std::string(kReplace));
  }
  if (mostly_ill_formed(piece)) {
    throw DataError(where +
                    ", nor are many others; convert the file from its encoding "
                    "with iconv -f ENCODING -t UTF-8" +
                    std::string(kReplace));
  }
}

bool DecodedInput::read_more(std::string& out) {
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
