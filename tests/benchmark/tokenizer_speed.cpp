// SPDX-License-Identifier: MIT
//
// How long the product takes to encode texts on one thread; the other side is
// scripts/benchmarks/tokenizer.py, which also runs this program.
//
// usage: tokenizer_speed TOKENIZER_DIRECTORY TEXTS
//
// TEXTS holds one JSON string a line; all are in memory before any clock runs.
// Each line on standard input, `ids` or `offsets`, asks for one pass over the
// texts, with or without offsets, and is answered with a line of JSON: the
// seconds, the number of tokens and the CRC-32 of all ids as 32-bit numbers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <zlib.h>

#include "longformer/base/strict_json.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {
namespace {

std::vector<std::string> read_texts(const std::string& path) {
  std::vector<std::string> texts;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot open");
  for (std::string line; std::getline(file, line);) {
    texts.push_back(parse_strict_json(line).get<std::string>());
  }
  return texts;
}

void time_pass(const Tokenizer& tokenizer,
               const std::vector<std::string>& texts, bool want_offsets) {
  std::vector<Encoding> encodings;
  encodings.reserve(texts.size());
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : texts) {
    encodings.push_back(tokenizer.encode(text, {.want_offsets = want_offsets}));
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::size_t tokens = 0;
  uLong crc = 0;
  for (const Encoding& encoding : encodings) {
    tokens += encoding.ids.size();
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(encoding.ids.data()),
                    encoding.ids.size() * sizeof(encoding.ids[0]));
  }
  std::printf("{\"seconds\": %.6f, \"tokens\": %zu, \"crc\": %lu}\n",
              seconds.count(), tokens, crc);
  std::fflush(stdout);
}

void run(const std::string& directory, const std::string& texts_path) {
  const auto tokenizer = load_tokenizer(directory);
  const std::vector<std::string> texts = read_texts(texts_path);
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "ids" && line != "offsets") {
      throw std::runtime_error("unknown request: " + line);
    }
    time_pass(*tokenizer, texts, line == "offsets");
  }
}

}  // namespace
}  // namespace longformer

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tokenizer_speed TOKENIZER_DIRECTORY TEXTS\n");
    return 2;
  }
  try {
    longformer::run(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
