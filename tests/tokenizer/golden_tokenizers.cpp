// SPDX-License-Identifier: MIT
#include "tokenizer/golden_tokenizers.h"

#include <array>
#include <bit>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "longformer/io/text_input.h"

#include "support/golden.h"
#include "support/temp_dir.h"

namespace longformer::test {
namespace {

/// FIPS 180-4; the golden files name texts and ids by it.
class Sha256 {
 public:
  void add_block(const unsigned char* block);
  std::string finish(std::string_view bytes);

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};
};

constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void Sha256::add_block(const unsigned char* block) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 |
           std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  }
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           w[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto s = state_;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t sum1 =
        std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t t1 = s[7] + sum1 + choice + kRound[i] + w[i];
    const std::uint32_t sum0 =
        std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority =
        (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {t1 + sum0 + majority, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
}

std::string Sha256::finish(std::string_view bytes) {
  std::string padded(bytes);
  padded += static_cast<char>(0x80);
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded += static_cast<char>(std::uint64_t{bytes.size()} * 8 >> shift);
  }
  for (std::size_t i = 0; i < padded.size(); i += 64) {
    add_block(reinterpret_cast<const unsigned char*>(padded.data()) + i);
  }
  std::string hex;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      hex += "0123456789abcdef"[word >> shift & 15];
    }
  }
  return hex;
}

}  // namespace

std::string bpe_directory() {
  const auto directory = golden_dir() / "tokenizer" / "bpe";
  if (!std::filesystem::exists(directory / "vocab.json")) {
    throw std::runtime_error(
        "no vocab.json in " + directory.string() +
        "; scripts/setup.sh --tests makes the vocabulary, then configure the "
        "build again");
  }
  return directory.string();
}

std::filesystem::path bpe_golden(std::string_view name) {
  return golden_dir() / "tokenizer" / "bpe" / name;
}

std::filesystem::path spm_golden(std::string_view name) {
  return golden_dir() / "tokenizer" / "spm" / name;
}

Json read_json(const std::filesystem::path& path) {
  return parse_strict_json(read_file(path));
}

std::vector<Json> read_json_lines(const std::filesystem::path& path) {
  std::vector<Json> rows;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(parse_strict_json(line));
  }
  return rows;
}

std::string read_gzip(const std::filesystem::path& path) {
  return TextInput(path.string()).read_all(std::uint64_t{1} << 30);
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(
        std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string sha256_of(std::string_view bytes) { return Sha256().finish(bytes); }

std::string sha256_of(const Ids& ids) {
  std::string bytes(ids.size() * 4, '\0');
  std::memcpy(bytes.data(), ids.data(), bytes.size());
  return sha256_of(bytes);
}

}  // namespace longformer::test
