// SPDX-License-Identifier: MIT
#include "longformer/config/option_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "longformer/base/utf8.h"

namespace longformer {
namespace {

/// nullopt: accepted. Otherwise the text after "got", usually the value itself.
using Refusal = std::optional<std::string>;

// Written so that NaN is outside.
bool in_range(double number, const FieldInfo& info) {
  return number >= info.min &&
         (info.max_excluded ? number < info.max : number <= info.max);
}

Refusal read(const Json& json, const FieldInfo&, bool& out) {
  if (!json.is_boolean()) return shown(json);
  out = json.get<bool>();
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo& info, std::int64_t& out) {
  if (!json.is_number_integer()) return shown(json);
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() >
          static_cast<std::uint64_t>(
              std::numeric_limits<std::int64_t>::max())) {
    return shown(json);
  }
  const auto number = json.get<std::int64_t>();
  if (!in_range(static_cast<double>(number), info)) return shown(json);
  out = number;
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo& info, double& out) {
  if (!json.is_number()) return shown(json);
  const auto number = json.get<double>();
  if (!std::isfinite(number) || !in_range(number, info)) return shown(json);
  out = number;
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo&, std::string& out) {
  if (!json.is_string()) return shown(json);
  const auto& text = json.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) {
    return shown(json) + ", which holds a NUL character";
  }
  if (find_invalid_utf8(text) != std::string_view::npos) {
    return shown(json) + ", which is not valid UTF-8";
  }
  out = text;
  return std::nullopt;
}

template <class Item>
Refusal read_items(const Json& json, const FieldInfo& info,
                   std::vector<Item>& out) {
  std::vector<Item> items(json.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const Refusal refusal = read(json[i], info, items[i])) {
      return *refusal + " as item " + std::to_string(i + 1);
    }
  }
  out = std::move(items);
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo& info,
             std::vector<std::string>& out) {
  if (json.is_array()) return read_items(json, info, out);
  std::string text;
  if (Refusal refusal = read(json, info, text)) return refusal;
  out.clear();
  if (!text.empty()) out.push_back(std::move(text));
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo& info,
             std::vector<double>& out) {
  if (!json.is_array()) return shown(json);
  return read_items(json, info, out);
}

Refusal read(const Json& json, const FieldInfo& info, ClassWeights& out) {
  if (json == "none") {
    out = {};
  } else if (json == "balanced") {
    out = {ClassWeights::Kind::kBalanced, {}};
  } else {
    std::vector<double> values;
    if (Refusal refusal = read(json, info, values)) return refusal;
    if (values.empty()) return shown(json);
    out = {ClassWeights::Kind::kList, std::move(values)};
  }
  return std::nullopt;
}

template <class Value>
Refusal read(const Json& json, const FieldInfo& info,
             std::optional<Value>& out) {
  Value value{};
  if (json.is_null()) {
    out.reset();
  } else if (Refusal refusal = read(json, info, value)) {
    return refusal;
  } else {
    out = value;
  }
  return std::nullopt;
}

Refusal read(const Json& json, const FieldInfo&, const EnumRef& out) {
  if (!json.is_string()) return shown(json);
  for (std::size_t i = 0; i < out.names.size(); ++i) {
    if (json == out.names[i]) {
      out.set(out.value, static_cast<int>(i));
      return std::nullopt;
    }
  }
  return shown(json);
}

Json written(const EnumRef& value) {
  return std::string(
      value.names[static_cast<std::size_t>(value.get(value.value))]);
}

Json written(const ClassWeights& value) {
  switch (value.kind) {
    case ClassWeights::Kind::kNone:
      return "none";
    case ClassWeights::Kind::kBalanced:
      return "balanced";
    case ClassWeights::Kind::kList:
      return value.values;
  }
  return nullptr;
}

template <class Value>
Json written(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class Value>
Json written(const Value& value) {
  return value;
}

}  // namespace

Json value_to_json(const OptionField& field) {
  return std::visit(
      [](const auto& at) -> Json {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(at)>>) {
          return written(*at);
        } else {
          return written(at);
        }
      },
      field.value);
}

std::optional<std::string> set_value(const OptionField& field,
                                     const Json& json) {
  const Refusal refusal = std::visit(
      [&](const auto& at) -> Refusal {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(at)>>) {
          return read(json, field.info, *at);
        } else {
          return read(json, field.info, at);
        }
      },
      field.value);
  if (!refusal) return std::nullopt;
  return "expected " + accepted_values(field) + ", got " + *refusal;
}

std::string shown(const Json& value) {
  constexpr std::size_t kLongest = 120;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongest) {
    // The cut may fall inside a character.
    text = replace_invalid_utf8(text.substr(0, kLongest)) + "...";
  }
  return text;
}

}  // namespace longformer
