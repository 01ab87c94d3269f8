// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "longformer/base/strict_json.h"

namespace longformer {

/// Reads the members of a JSON object that this program wrote, one by one, and
/// refuses whatever is not as it was written.
///
/// Every function throws ModelError: "<where>: <key> ...; <advice>".
class JsonFields {
 public:
  /// `where` names the file (and the part of it) in messages.
  JsonFields(const Json& object, std::string where);

  /// An integer from `least` on.
  std::int64_t integer(const char* key, std::int64_t least);
  std::string text(const char* key);
  /// A finite number, or null.
  std::optional<double> number_or_null(const char* key);
  std::optional<std::int64_t> integer_or_null(const char* key,
                                              std::int64_t least);
  /// An object or null.
  Json object_or_null(const char* key);

  /// Refuses members that were not asked for.
  void finish() const;

  [[noreturn]] void fail(const std::string& problem) const;

 private:
  const Json& member(const char* key);

  const Json& object_;
  std::string where_;
  std::set<std::string> read_;
};

}  // namespace longformer
