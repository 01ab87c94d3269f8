// SPDX-License-Identifier: MIT
#include "encoding_guess.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "longformer/base/utf8.h"

#include "byte_at.h"

namespace longformer {
namespace {

bool is_ascii_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_latin1_letter(unsigned char c) {
  // Stray bytes far more often than letters: y with diaeresis, thorn, and the
  // first bytes of accented letters in UTF-8, left over where text was cut.
  return c >= 0xC0 && c != 0xFE && c != 0xFF && c != 0xD7 && c != 0xF7 &&
         c != 0xC2 && c != 0xC3;
}

/// Whether byte `i` is plausible in Western text in Latin-1 or Windows-1252: a
/// typographic sign, or one of at most two accented letters that stand alone
/// or beside an ASCII letter.
bool is_plausible_latin1(std::string_view text, std::size_t i) {
  const auto at = [&](std::size_t k) -> unsigned char {
    return k < text.size() ? byte_at(text, k) : ' ';
  };
  const unsigned char c = at(i);
  const bool is_sign = c == 0x85 || (c >= 0x91 && c <= 0x97) || c == 0xA0 ||
                       c == 0xA3 || c == 0xA7 || c == 0xA9 || c == 0xAB ||
                       c == 0xB0 || c == 0xBB;
  if (is_sign) return true;
  if (!is_latin1_letter(c)) return false;
  // Before the text, the index wraps around and gives a blank.
  const bool second = is_latin1_letter(at(i - 1));
  const unsigned char before = second ? at(i - 2) : at(i - 1);
  const bool first = !second && is_latin1_letter(at(i + 1));
  const unsigned char after = first ? at(i + 2) : at(i + 1);
  if (is_ascii_letter(before) || is_ascii_letter(after)) return true;
  return !first && !second && before < 0x80 && after < 0x80;
}

struct NonAscii {
  std::int64_t well_formed = 0;  ///< Characters.
  std::int64_t ill_formed = 0;   ///< Sequences.
  std::int64_t plausible_latin1 = 0;
  std::int64_t high_bytes = 0;

  explicit NonAscii(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      if (byte_at(text, i) < 0x80) {
        ++i;
        continue;
      }
      const DecodedCodePoint decoded = decode_utf8(text, i);
      ++(decoded.valid ? well_formed : ill_formed);
      for (int k = 0; k < decoded.bytes; ++k, ++i) {
        ++high_bytes;
        if (is_plausible_latin1(text, i)) ++plausible_latin1;
      }
    }
  }
};

}  // namespace

WideEncoding guess_wide_encoding(std::string_view sample) {
  std::array<std::size_t, 4> zeros{};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] == '\0') ++zeros[i % 4];
  }
  const std::size_t units = sample.size() / 4;
  const auto many = [&](std::size_t i) { return zeros[i] * 5 > units * 2; };
  const auto few = [&](std::size_t i) { return zeros[i] * 20 < units; };
  if (units == 0) return WideEncoding::kNone;
  if (many(1) && many(2) && many(3) && few(0)) {
    return WideEncoding::kUtf32Little;
  }
  if (many(0) && many(1) && many(2) && few(3)) return WideEncoding::kUtf32Big;
  if (many(1) && many(3) && few(0) && few(2)) {
    return WideEncoding::kUtf16Little;
  }
  if (many(0) && many(2) && few(1) && few(3)) return WideEncoding::kUtf16Big;
  return WideEncoding::kNone;
}

bool has_iso_2022_escapes(std::string_view sample) {
  const std::size_t begin = sample.find("\x1B$B");
  return begin != std::string_view::npos &&
         sample.find("\x1B(", begin) != std::string_view::npos;
}

std::optional<std::string> foreign_encoding(std::string_view text,
                                            std::int64_t well_formed) {
  NonAscii found(text);
  found.well_formed += well_formed;
  if (found.well_formed == 0 &&
      found.plausible_latin1 * 10 >= found.high_bytes * 9) {
    return "the file looks like Latin-1 (ISO-8859-1) or Windows-1252: set the "
           "option encoding to latin-1, or convert it with iconv -f "
           "WINDOWS-1252 -t UTF-8";
  }
  // A few damaged places among many good ones are repaired, not refused.
  if (found.ill_formed >= 64 && found.ill_formed > found.well_formed) {
    return "nor are many others; convert the file from its encoding with iconv "
           "-f ENCODING -t UTF-8";
  }
  return std::nullopt;
}

}  // namespace longformer
