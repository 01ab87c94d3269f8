// SPDX-License-Identifier: MIT
#include "label_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

namespace longformer {
namespace {

constexpr std::size_t kShownBytes = 60;
constexpr std::size_t kShownNames = 20;
constexpr std::string_view kBlanks = " \t\r\n\f\v";

LabelScalar scalar_from_json(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    throw DataError("label " + value.dump() +
                    " does not fit in 64 bits; write it as a string");
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  throw DataError(std::string("a label cannot hold ") +
                  (value.is_null() ? "null" : "an object or a nested list") +
                  "; write a string, number, boolean or a flat list of them");
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<std::int64_t> plain_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  if (std::to_string(value) != text) return std::nullopt;
  return value;
}

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool is_integer_notation(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

bool is_list_text(std::string_view text) {
  text = trimmed(text);
  return text.size() >= 2 && text.front() == '[' && text.back() == ']';
}

std::vector<LabelScalar> labels_in_text(std::string_view text) {
  text = trimmed(text);
  if (is_list_text(text)) {
    RawLabel label;
    try {
      label = label_from_json(parse_strict_json(text));
    } catch (const JsonSyntaxError& error) {
      throw DataError("label " + in_quotes(text) +
                      " is no JSON list: " + describe(error) + "; fix the row");
    }
    return std::get<std::vector<LabelScalar>>(std::move(label));
  }
  std::vector<LabelScalar> labels;
  while (!text.empty()) {
    const std::size_t bar = text.find('|');
    const std::string_view part = trimmed(text.substr(0, bar));
    if (!part.empty()) labels.emplace_back(std::string(part));
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
  }
  return labels;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string kind_of_json(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return std::string("a ") + value.type_name();
}

std::string label_name(const LabelScalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return std::to_string(*integer);
  }
  if (const auto* flag = std::get_if<bool>(&scalar)) {
    return *flag ? "true" : "false";
  }
  return Json(std::get<double>(scalar)).dump();
}

std::string show(const LabelScalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    return in_quotes(*text);
  }
  return label_name(scalar);
}

std::string show(const RawLabel& label) {
  if (std::holds_alternative<std::monostate>(label)) return "null";
  const auto* list = std::get_if<std::vector<LabelScalar>>(&label);
  if (list == nullptr) {
    return std::visit(
        [](const auto& value) -> std::string {
          if constexpr (std::is_constructible_v<LabelScalar, decltype(value)>) {
            return show(LabelScalar(value));
          }
          return {};
        },
        label);
  }
  std::string text = "[";
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (i > 0) text += ", ";
    if (text.size() > kShownBytes) return text + "...]";
    text += show((*list)[i]);
  }
  return text + "]";
}

RawLabel label_from_json(const Json& value) {
  if (value.is_null()) return std::monostate{};
  if (!value.is_array()) {
    return std::visit([](auto&& scalar) { return RawLabel(std::move(scalar)); },
                      scalar_from_json(value));
  }
  std::vector<LabelScalar> list;
  list.reserve(value.size());
  for (const Json& element : value) list.push_back(scalar_from_json(element));
  return list;
}

std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kShownNames) {
      return text + ", ... and " + std::to_string(names.size() - i) + " more";
    }
    if (i > 0) text += ", ";
    const std::string shown = in_quotes(names[i]);
    // Quotes only where a plain name would be misread.
    const bool plain = shown.size() == names[i].size() + 2 &&
                       !names[i].empty() &&
                       names[i].find_first_of(", \"") == std::string::npos;
    text += plain ? names[i] : shown;
  }
  return text;
}

}  // namespace longformer
