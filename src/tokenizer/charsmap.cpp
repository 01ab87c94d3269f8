// SPDX-License-Identifier: MIT
#include "charsmap.h"

#include <cstring>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

#include "code_points.h"

namespace longformer {
namespace {

// A unit of the double array, as the Darts-clone library packs it.
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
bool is_value(std::uint32_t unit) { return unit >> 31 != 0; }
std::uint32_t leaf_value(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t offset(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200U) >> 6);
}

[[noreturn]] void fail(const std::string& where, const std::string& reason) {
  throw ModelError(where + ": the normalisation rules are damaged: " + reason);
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const std::string& where) {
  std::uint32_t trie_bytes = 0;
  if (bytes.size() < 4) fail(where, "they have no size");
  std::memcpy(&trie_bytes, bytes.data(), 4);
  bytes.remove_prefix(4);
  if (trie_bytes % 1024 != 0 || trie_bytes == 0 || trie_bytes >= bytes.size()) {
    fail(where, "the trie would have " + std::to_string(trie_bytes) + " of " +
                    std::to_string(bytes.size()) + " bytes");
  }
  units_.resize(trie_bytes / 4);
  std::memcpy(units_.data(), bytes.data(), trie_bytes);
  replacements_ = bytes.substr(trie_bytes);
  if (replacements_.back() != '\0') fail(where, "the last one is not complete");
  if (find_invalid_utf8(replacements_) != std::string_view::npos) {
    fail(where, "a replacement is not UTF-8");
  }

  // Any byte may follow at any node, so all 256 neighbours must exist. Leaves
  // hold a value instead; their top bit keeps them from being taken for nodes.
  std::vector<bool> is_leaf(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::size_t base = i ^ offset(units_[i]);
    if (!has_leaf(units_[i]) || is_value(units_[i])) continue;
    if (base < units_.size()) is_leaf[base] = true;
  }
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (is_leaf[i] && !is_value(units_[i])) fail(where, "a rule has no end");
    if (is_leaf[i] &&
        (leaf_value(units_[i]) >= replacements_.size() ||
         !starts_code_point(replacements_[leaf_value(units_[i])]))) {
      fail(where, "a rule has no replacement");
    }
    if (!is_value(units_[i]) &&
        ((i ^ offset(units_[i])) | 0xFF) >= units_.size()) {
      fail(where, "the trie leads out of itself");
    }
  }
}

std::optional<std::string_view> Charsmap::find_shortest(
    std::string_view text) const {
  std::size_t node = offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return std::nullopt;
    node ^= byte;
    const std::uint32_t unit = units_[node];
    if (label(unit) != byte) return std::nullopt;
    node ^= offset(unit);
    if (has_leaf(unit)) {
      return std::string_view(replacements_.c_str() + leaf_value(units_[node]));
    }
  }
  return std::nullopt;
}

}  // namespace longformer
