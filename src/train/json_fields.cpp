// SPDX-License-Identifier: MIT
#include "json_fields.h"

#include <cmath>
#include <limits>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) {
    fail(std::string("expected an object, found ") + object_.type_name());
  }
}

void JsonFields::fail(const std::string& problem) const {
  throw ModelError(where_ + ": " + problem +
                   "; the file is damaged or of another version, so resume "
                   "from another checkpoint");
}

const Json& JsonFields::member(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end()) fail(std::string("has no \"") + key + "\"");
  read_.insert(key);
  return *found;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t least) {
  const Json& value = member(key);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(
                             std::numeric_limits<std::int64_t>::max()));
  if (!fits || value.get<std::int64_t>() < least) {
    fail(std::string("\"") + key + "\" must be an integer" +
         (least == std::numeric_limits<std::int64_t>::min()
              ? ""
              : " from " + std::to_string(least) + " on") +
         ", found " + value.dump());
  }
  return value.get<std::int64_t>();
}

std::string JsonFields::text(const char* key) {
  const Json& value = member(key);
  if (!value.is_string()) {
    fail(std::string("\"") + key + "\" must be a string, found " +
         value.dump());
  }
  return value.get<std::string>();
}

std::optional<double> JsonFields::number_or_null(const char* key) {
  const Json& value = member(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    fail(std::string("\"") + key + "\" must be a number or null, found " +
         value.dump());
  }
  return value.get<double>();
}

std::optional<std::int64_t> JsonFields::integer_or_null(const char* key,
                                                        std::int64_t least) {
  if (member(key).is_null()) return std::nullopt;
  return integer(key, least);
}

Json JsonFields::object_or_null(const char* key) {
  const Json& value = member(key);
  if (!value.is_null() && !value.is_object()) {
    fail(std::string("\"") + key + "\" must be an object or null, found " +
         value.dump());
  }
  return value;
}

void JsonFields::finish() const {
  for (const auto& item : object_.items()) {
    if (!read_.contains(item.key())) fail("unknown key \"" + item.key() + "\"");
  }
}

}  // namespace longformer
