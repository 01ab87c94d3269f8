// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longformer/base/strict_json.h"

namespace longformer::test {

/// A byte-level BPE tokenizer small enough to see through: RoBERTa's special
/// tokens 0-3, the 256 bytes from 4 on (in order of the byte), the results of
/// `merges`, and <mask>.
class TinyBpe {
 public:
  /// Merges in GPT-2's alphabet, best first, such as {"h", "e"}.
  explicit TinyBpe(std::vector<std::pair<std::string, std::string>> merges);
  /// Has "he", "ll", "hell", "hello", " hello" and some runs of '#'.
  TinyBpe();

  std::string vocab_json() const;
  std::string merges_txt() const;
  /// Merges as pairs of strings, or as strings with a blank.
  Json tokenizer_json(bool pairs) const;

  int byte_id(unsigned char byte) const { return 4 + byte; }
  /// Id of the result of the merge at `rank`.
  int merge_id(int rank) const { return 4 + 256 + rank; }
  int mask_id() const { return merge_id(static_cast<int>(merges_.size())); }

 private:
  Json vocabulary() const;

  std::vector<std::pair<std::string, std::string>> merges_;
};

}  // namespace longformer::test
