// SPDX-License-Identifier: MIT
#include <cmath>
#include <string>
#include <type_traits>

#include "longformer/base/strict_json.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

/// A bound as people write it: 1, 0.5, 1e+06.
std::string bound_text(double bound) {
  constexpr double kPlainBelow = 1e15;
  if (bound == std::floor(bound) && std::abs(bound) < kPlainBelow) {
    return std::to_string(static_cast<std::int64_t>(bound));
  }
  return Json(bound).dump();
}

std::string range_text(const FieldInfo& info) {
  const bool has_min = std::isfinite(info.min);
  const bool has_max = std::isfinite(info.max);
  if (!has_min && !has_max) return "";
  if (!has_max) return " of at least " + bound_text(info.min);
  if (!has_min) return " of at most " + bound_text(info.max);
  if (info.max_excluded) {
    return " from " + bound_text(info.min) + " to below " +
           bound_text(info.max);
  }
  return " from " + bound_text(info.min) + " to " + bound_text(info.max);
}

std::string names_text(const EnumRef& value) {
  std::string text;
  for (std::size_t i = 0; i < value.names.size(); ++i) {
    if (i > 0) text += i + 1 == value.names.size() ? " or " : ", ";
    text += value.names[i];
  }
  return text;
}

std::string kind(const bool*, const FieldInfo&) { return "true or false"; }
std::string kind(const std::int64_t*, const FieldInfo& info) {
  return "a whole number" + range_text(info);
}
std::string kind(const double*, const FieldInfo& info) {
  return "a number" + range_text(info);
}
std::string kind(const std::string*, const FieldInfo&) { return "a text"; }
std::string kind(const std::vector<std::string>*, const FieldInfo&) {
  return "a text or a list of texts";
}
std::string kind(const std::vector<double>*, const FieldInfo& info) {
  return "a list with each item a number" + range_text(info);
}
std::string kind(const ClassWeights*, const FieldInfo& info) {
  return "none, balanced, or a list with each item a number" + range_text(info);
}
std::string kind(const EnumRef& value, const FieldInfo&) {
  return names_text(value);
}
template <class Value>
std::string kind(const std::optional<Value>*, const FieldInfo& info) {
  return kind(static_cast<const Value*>(nullptr), info);
}

}  // namespace

std::string accepted_values(const OptionField& field) {
  return std::visit([&](const auto& at) { return kind(at, field.info); },
                    field.value);
}

}  // namespace longformer
