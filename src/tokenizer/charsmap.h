// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longformer {

/// Normalisation rules in SentencePiece's compiled form: a double-array trie of
/// the strings to replace, and the replacements.
class Charsmap {
 public:
  /// Checks everything a look-up can reach, so that damaged rules cannot lead
  /// out of the table, here or in the SentencePiece library. Throws ModelError.
  Charsmap(std::string_view bytes, const std::string& where);

  /// The replacement for the shortest rule that is a prefix of `text`.
  std::optional<std::string_view> find_shortest(std::string_view text) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string replacements_;  ///< Each ends with NUL.
};

}  // namespace longformer
