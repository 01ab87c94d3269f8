// SPDX-License-Identifier: MIT
#include "white_space_rules.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace longformer {
namespace {

/// A double array with 256 units for the children of each inner node, which
/// wastes a few kilobytes but needs no search for free places. The library can
/// make one too, but leaves bytes in it undefined, so that equal trainings
/// would give unequal files.
class RuleTable {
 public:
  /// All rules have the replacement at position 0.
  void add(std::string_view from) {
    std::size_t node = 0;
    for (const char c : from) {
      const auto byte = static_cast<unsigned char>(c);
      const std::size_t child = child_block(node) + byte;
      units_[child] |= byte;
      node = child;
    }
    const std::size_t leaf = kLeaves + num_leaves_++;
    units_[node] |= static_cast<std::uint32_t>(node ^ leaf) << 10 | kHasLeaf;
    units_[leaf] = kIsValue;
  }

  std::string bytes() const {
    std::string result(units_.size() * 4, '\0');
    std::memcpy(result.data(), units_.data(), result.size());
    return result;
  }

 private:
  static constexpr std::uint32_t kHasLeaf = 1U << 8;
  static constexpr std::uint32_t kIsValue = 1U << 31;
  static constexpr std::size_t kLeaves = 256;
  static constexpr std::size_t kFirstBlock = 512;

  /// Where the children of a node are; no inner node is a rule itself.
  std::size_t child_block(std::size_t node) {
    const std::size_t offset = units_[node] >> 10;
    if (offset != 0) return node ^ offset;
    const std::size_t block = kFirstBlock + 256 * num_blocks_++;
    units_[node] |= static_cast<std::uint32_t>(node ^ block) << 10;
    return block;
  }

  std::array<std::uint32_t, 512 + 4 * 256> units_{};
  std::size_t num_leaves_ = 0;
  std::size_t num_blocks_ = 0;
};

}  // namespace

std::string white_space_charsmap() {
  RuleTable table;
  for (const std::string_view white_space :
       {"\t", "\n", "\v", "\f", "\r", "\xC2\x85", "\xE2\x80\xA8",
        "\xE2\x80\xA9"}) {
    table.add(white_space);
  }
  const std::string trie = table.bytes();
  const auto size = static_cast<std::uint32_t>(trie.size());
  std::string result(4, '\0');
  std::memcpy(result.data(), &size, 4);
  return result + trie + std::string(" \0", 2);
}

}  // namespace longformer
