// SPDX-License-Identifier: MIT
#include "byte_alphabet.h"

#include <array>

#include "longformer/base/utf8.h"

namespace longformer {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         byte >= 0xAE;
}

/// Above this no code point is a symbol: 256 plus the bytes that need one.
constexpr char32_t kSymbolsEnd = 256 + 68;

struct Tables {
  std::array<char32_t, 256> symbol{};
  std::array<int, kSymbolsEnd> byte{};
};

constexpr Tables make_tables() {
  Tables tables;
  for (int& byte : tables.byte) byte = -1;
  char32_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t symbol =
        stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
    tables.symbol[static_cast<std::size_t>(byte)] = symbol;
    tables.byte[symbol] = byte;
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

char32_t byte_symbol(unsigned char byte) { return kTables.symbol[byte]; }

std::optional<std::string> bytes_of_symbols(std::string_view symbols) {
  std::string bytes;
  for (std::size_t i = 0; i < symbols.size();) {
    const DecodedCodePoint code = decode_utf8(symbols, i);
    if (!code.valid || code.code_point >= kSymbolsEnd ||
        kTables.byte[code.code_point] < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(kTables.byte[code.code_point]);
    i += static_cast<std::size_t>(code.bytes);
  }
  return bytes;
}

std::string symbols_of_bytes(std::string_view bytes) {
  std::string symbols;
  for (const char byte : bytes) {
    append_utf8(byte_symbol(static_cast<unsigned char>(byte)), symbols);
  }
  return symbols;
}

}  // namespace longformer
