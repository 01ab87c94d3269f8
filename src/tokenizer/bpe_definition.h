// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "longformer/base/strict_json.h"

#include "added_tokens.h"
#include "tokenizer_config.h"
#include "tokenizer_json.h"

namespace longformer {

/// A byte-level BPE tokenizer as its files describe it.
struct BpeDefinition {
  /// Token strings in GPT-2's byte alphabet with their ids; neither repeats.
  std::vector<std::pair<std::string, std::int32_t>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;  ///< Best first.
  std::string vocabulary_file;
  std::string merges_file;
  /// Place of the first merge in its file: "merges.txt:2" or "merges[0]".
  std::int64_t first_merge_line = 0;
  std::string unknown_token;  ///< Stands for bytes without token; may be "".
  bool ignore_merges = false;
  bool add_prefix_space = false;
  bool split_words = true;
  std::vector<AddedToken> added_tokens;
  PostProcessor post_processor;
};

/// Reads vocab.json and merges.txt of a directory, with the special tokens of
/// RoBERTa where `config` names no others. Throws ModelError.
BpeDefinition read_vocabulary_and_merges(const std::string& directory,
                                         const TokenizerConfig& config);

/// Reads a tokenizer.json whose model is BPE over bytes. Throws ModelError,
/// also for settings that this program does not implement.
BpeDefinition read_byte_level_json(const Json& root, const std::string& path);

}  // namespace longformer
