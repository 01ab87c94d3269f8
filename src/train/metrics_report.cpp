// SPDX-License-Identifier: MIT
#include "longformer/train/metrics_report.h"

#include <cmath>
#include <utility>
#include <vector>

namespace longformer {

void MetricsReport::add(std::string_view name, double value) {
  if (!std::isfinite(value)) {
    add_undefined(name, "not finite");
    return;
  }
  entries_[std::string(name)] = value;
  values_.insert_or_assign(std::string(name), value);
}

void MetricsReport::add(std::string_view name, std::optional<double> value,
                        std::string_view reason_if_none) {
  if (value) {
    add(name, *value);
  } else {
    add_undefined(name, reason_if_none);
  }
}

void MetricsReport::add_undefined(std::string_view name,
                                  std::string_view reason) {
  entries_[std::string(name)] = nullptr;
  explain(name, reason);
}

void MetricsReport::add_table(std::string_view name, Json table) {
  entries_[std::string(name)] = std::move(table);
}

void MetricsReport::explain(std::string_view key, std::string_view reason) {
  reasons_.insert_or_assign(std::string(key), std::string(reason));
}

std::optional<double> MetricsReport::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string MetricsReport::reason(std::string_view name) const {
  const auto found = reasons_.find(name);
  return found == reasons_.end() ? std::string() : found->second;
}

Json MetricsReport::to_json() const {
  Json json = entries_;
  Json undefined = Json::object();
  // Straight to the end of the list: operator[] would search it each time, and
  // with many classes there are many reasons.
  auto& list = undefined.get_ref<Json::object_t&>();
  for (const auto& [key, reason] : reasons_) {
    list.std::vector<std::pair<const std::string, Json>>::emplace_back(key,
                                                                       reason);
  }
  json["undefined"] = std::move(undefined);
  return json;
}

}  // namespace longformer
