// SPDX-License-Identifier: MIT
#include "foreign_text.h"

#include <algorithm>
#include <array>

namespace longformer {
namespace {

using std::string_view_literals::operator""sv;

/// Stands for any byte.
constexpr char kAny = '?';

struct TextSignature {
  std::string_view bytes;
  const char* what;

  /// Whether `start` agrees with the signature as far as both go.
  bool agrees(std::string_view start) const {
    const std::size_t size = std::min(start.size(), bytes.size());
    return std::equal(bytes.begin(), bytes.begin() + size, start.begin(),
                      [](char wanted, char found) {
                        return wanted == kAny || wanted == found;
                      });
  }
};

constexpr std::array kSignatures = {
    TextSignature{"\x28\xB5\x2F\xFD"sv,
                  "compressed with zstd; unpack it first"},
    TextSignature{"\xFD"
                  "7zXZ\0"sv,
                  "compressed with xz; unpack it first"},
    TextSignature{"\x04\x22\x4D\x18"sv, "compressed with lz4; unpack it first"},
    TextSignature{"BZh?1AY&SY"sv, "compressed with bzip2; unpack it first"},
    TextSignature{
        "PK\x03\x04"sv,
        "a zip archive (spreadsheets are such files too); unpack it, or "
        "save the table as CSV"},
    TextSignature{"PAR1"sv, "a Parquet file; convert it to CSV or JSON lines"},
    TextSignature{"ARROW1\0"sv,
                  "an Arrow file; convert it to CSV or JSON lines"},
    TextSignature{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv,
                  "an old Excel or Word file; save the table as CSV"},
};

constexpr TextSignature kGzip{"\x1F\x8B"sv, "gzip"};

bool is_begun(const TextSignature& signature, std::string_view start) {
  return start.size() < signature.bytes.size() && signature.agrees(start);
}

}  // namespace

std::optional<std::string> foreign_kind(std::string_view start) {
  for (const TextSignature& signature : kSignatures) {
    if (start.size() >= signature.bytes.size() && signature.agrees(start)) {
      return signature.what;
    }
  }
  return std::nullopt;
}

bool may_become_binary(std::string_view start) {
  return is_begun(kGzip, start) ||
         std::any_of(kSignatures.begin(), kSignatures.end(),
                     [&](const TextSignature& signature) {
                       return is_begun(signature, start);
                     });
}

}  // namespace longformer
