// SPDX-License-Identifier: MIT
#include "longformer/train/metrics_report.h"

#include <cmath>
#include <utility>

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
  undefined_[std::string(key)] = std::string(reason);
}

std::optional<double> MetricsReport::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string MetricsReport::reason(std::string_view name) const {
  const auto found = undefined_.find(std::string(name));
  if (found == undefined_.end()) return {};
  return found->get<std::string>();
}

Json MetricsReport::to_json() const {
  Json json = entries_;
  json["undefined"] = undefined_;
  return json;
}

}  // namespace longformer
