// SPDX-License-Identifier: MIT
#include "config_reader.h"

#include <limits>

#include "longformer/base/error.h"
#include "longformer/config/option_values.h"

namespace longformer {

bool is_whole(const Json& json, std::int64_t low, std::int64_t high) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() >
          static_cast<std::uint64_t>(
              std::numeric_limits<std::int64_t>::max())) {
    return false;
  }
  const auto value = json.get<std::int64_t>();
  return value >= low && value <= high;
}

const Json* ConfigReader::find(const std::string& key) const {
  const auto at = document_.find(key);
  return at == document_.end() || at->is_null() ? nullptr : &*at;
}

std::int64_t ConfigReader::required_whole(const std::string& key,
                                          std::int64_t low, std::int64_t high) {
  if (find(key) == nullptr) missing(key);
  return optional_whole(key, low, high).value_or(0);
}

std::optional<std::int64_t> ConfigReader::optional_whole(const std::string& key,
                                                         std::int64_t low,
                                                         std::int64_t high) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (is_whole(*value, low, high)) return value->get<std::int64_t>();
  add(key, "expected a whole number from " + std::to_string(low) + " to " +
               std::to_string(high) + ", got " + shown(*value));
  return std::nullopt;
}

double ConfigReader::number(const std::string& key, double low, double high,
                            double fallback, bool includes_high) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_number()) {
    const auto number = value->get<double>();
    const bool below = includes_high ? number <= high : number < high;
    if (number >= low && below) return number;
  }
  add(key, "expected a number from " + shown(low) + " to " +
               (includes_high ? "" : "below ") + shown(high) + ", got " +
               shown(*value));
  return fallback;
}

std::optional<std::string> ConfigReader::text(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  add(key, "expected a text, got " + shown(*value));
  return std::nullopt;
}

void ConfigReader::missing(const std::string& key) {
  add(key,
      "missing; the weights depend on it and no default is safe, take it from "
      "the model's original config.json");
}

void ConfigReader::add(const std::string& key, const std::string& problem) {
  problems_.push_back(key + ": " + problem);
}

void ConfigReader::throw_problems(const std::string& where) const {
  if (problems_.empty()) return;
  if (problems_.size() == 1) {
    throw ModelError(where + ": " + problems_.front());
  }
  std::string message =
      where + ": " + std::to_string(problems_.size()) + " problems:";
  for (const std::string& problem : problems_) message += "\n  " + problem;
  throw ModelError(message);
}

}  // namespace longformer
