// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace longformer {

/// JSON with the order of keys kept.
using Json = nlohmann::ordered_json;

/// Why a text is not acceptable JSON, and where (1-based; columns in bytes).
/// Callers turn it into ConfigError, DataError or ModelError with a file name.
class JsonSyntaxError : public std::runtime_error {
 public:
  JsonSyntaxError(std::int64_t line, std::int64_t column,
                  const std::string& reason)
      : std::runtime_error(reason), line_(line), column_(column) {}
  std::int64_t line() const { return line_; }
  std::int64_t column() const { return column_; }

 private:
  std::int64_t line_;
  std::int64_t column_;
};

/// Parses one JSON value that fills the whole text (white space around it is
/// allowed). Stricter than nlohmann's own parser: duplicate keys, nesting
/// deeper than `max_depth`, numbers beyond double's range and ill-formed UTF-8
/// are refused.
///
/// Throws JsonSyntaxError. Cost: linear in the text; no recursion.
Json parse_strict_json(std::string_view text, int max_depth = 256);

/// "line 3, column 7: reason", or without the line when the text has only one.
std::string describe(const JsonSyntaxError& error);

}  // namespace longformer
