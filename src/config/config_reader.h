// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longformer/base/strict_json.h"

namespace longformer {

/// Reads keys of one JSON object, a model's config.json, and collects what is
/// wrong with them.
class ConfigReader {
 public:
  explicit ConfigReader(const Json& document) : document_(document) {}

  /// The value, or nullptr when the key is missing or null.
  const Json* find(const std::string& key) const;

  /// A whole number from `low` to `high`. Missing or wrong: a problem, and 0.
  std::int64_t required_whole(const std::string& key, std::int64_t low,
                              std::int64_t high);
  std::optional<std::int64_t> optional_whole(const std::string& key,
                                             std::int64_t low,
                                             std::int64_t high);

  /// A number with low <= value < high (or <= if `includes_high`); `fallback`
  /// when the key is missing.
  double number(const std::string& key, double low, double high,
                double fallback, bool includes_high = false);

  /// A text, or nothing when missing.
  std::optional<std::string> text(const std::string& key);

  void missing(const std::string& key);
  void add(const std::string& key, const std::string& problem);

  /// Throws ModelError with every problem, if there are any.
  void throw_problems(const std::string& where) const;

 private:
  const Json& document_;
  std::vector<std::string> problems_;
};

/// Whether `json` is a whole number within the bounds.
bool is_whole(const Json& json, std::int64_t low, std::int64_t high);

}  // namespace longformer
