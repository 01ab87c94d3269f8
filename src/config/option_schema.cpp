// SPDX-License-Identifier: MIT
#include <cmath>
#include <string>
#include <type_traits>

#include "longformer/config/option_documents.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

/// A bound without a fraction as an integer: 1, not 1.0.
Json bound(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json number_schema(const char* type, const FieldInfo& info) {
  Json schema{{"type", type}};
  if (std::isfinite(info.min)) schema["minimum"] = bound(info.min);
  if (std::isfinite(info.max)) {
    schema[info.max_excluded ? "exclusiveMaximum" : "maximum"] =
        bound(info.max);
  }
  return schema;
}

Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}

Json any_of(const Json& some, const Json& other) {
  return {{"anyOf", Json::array({some, other})}};
}

Json schema_of(const bool*, const FieldInfo&) { return {{"type", "boolean"}}; }
Json schema_of(const std::int64_t*, const FieldInfo& info) {
  return number_schema("integer", info);
}
Json schema_of(const double*, const FieldInfo& info) {
  return number_schema("number", info);
}
Json schema_of(const std::string*, const FieldInfo&) {
  return {{"type", "string"}};
}
Json schema_of(const std::vector<std::string>*, const FieldInfo&) {
  const Json text{{"type", "string"}};
  return any_of(text, list_of(text));
}
Json schema_of(const std::vector<double>*, const FieldInfo& info) {
  return list_of(number_schema("number", info));
}
Json schema_of(const ClassWeights*, const FieldInfo& info) {
  Json list = list_of(number_schema("number", info));
  list["minItems"] = 1;
  return any_of(Json{{"enum", {"none", "balanced"}}}, list);
}
Json schema_of(const EnumRef& value, const FieldInfo&) {
  Json names = Json::array();
  for (const std::string_view name : value.names) {
    names.push_back(std::string(name));
  }
  return Json{{"enum", names}};
}
template <class Value>
Json schema_of(const std::optional<Value>*, const FieldInfo& info) {
  return any_of(schema_of(static_cast<const Value*>(nullptr), info),
                Json{{"type", "null"}});
}

}  // namespace

Json json_schema(const std::vector<OptionField>& fields) {
  Json properties = Json::object();
  properties["$schema"] = {{"type", "string"}};
  for (const OptionField& field : fields) {
    Json schema = std::visit(
        [&](const auto& at) { return schema_of(at, field.info); }, field.value);
    std::string meaning(field.info.help);
    if (!field.info.unit_name.empty()) {
      meaning += " Unit: " + std::string(field.info.unit_name) + ".";
    }
    schema["description"] = meaning;
    schema["default"] = value_to_json(field);
    properties[std::string(field.info.name)] = schema;
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "Options of longformer train"},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", properties}};
}

}  // namespace longformer
