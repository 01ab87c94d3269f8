// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "longformer/base/strict_json.h"

namespace longformer {

/// What an evaluation found: named numbers, and tables beside them.
///
/// Invariants: to_json() is always valid JSON. A number that is not finite, or
/// that cannot be defined for these data, is null there, and the object
/// "undefined" holds the reason under the same name.
class MetricsReport {
 public:
  /// A number; one that is not finite is recorded as undefined.
  void add(std::string_view name, double value);
  /// A number, or the reason why there is none.
  void add(std::string_view name, std::optional<double> value,
           std::string_view reason_if_none);
  void add_undefined(std::string_view name, std::string_view reason);
  /// A count, list or table. Holds no number that is not finite.
  void add_table(std::string_view name, Json table);
  /// The reason for a null inside a table, such as "auroc_one_vs_rest[3]".
  void explain(std::string_view key, std::string_view reason);

  /// The number called `name`; empty when it is undefined, a table, or was
  /// never added.
  std::optional<double> value(std::string_view name) const;
  /// Why value(name) is empty; empty when it is not, or was never added.
  std::string reason(std::string_view name) const;

  /// {"accuracy": 0.5, ..., "undefined": {name: reason}}; entries in the order
  /// in which they were added, reasons sorted by name.
  Json to_json() const;

 private:
  Json entries_ = Json::object();
  std::map<std::string, std::string, std::less<>> reasons_;
  std::map<std::string, double, std::less<>> values_;
};

}  // namespace longformer
