// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer::test {

using Ids = std::vector<std::int32_t>;
using Offsets = std::vector<TokenOffset>;

/// The folder with the byte-level BPE vocabulary. Throws std::runtime_error,
/// with the command that makes it, when the vocabulary is not there.
std::string bpe_directory();

/// A file of the golden byte-level BPE or SentencePiece cases.
std::filesystem::path bpe_golden(std::string_view name);
std::filesystem::path spm_golden(std::string_view name);

Json read_json(const std::filesystem::path& path);
std::vector<Json> read_json_lines(const std::filesystem::path& path);
std::string read_gzip(const std::filesystem::path& path);
std::string from_hex(std::string_view hex);

/// SHA-256 in hexadecimal, of bytes and of ids as little-endian uint32.
std::string sha256_of(std::string_view bytes);
std::string sha256_of(const Ids& ids);

}  // namespace longformer::test
