// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "longformer/config/option_values.h"

namespace longformer {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& letter : copy) {
    letter =
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return copy;
}

/// The JSON value of `text`, or nothing.
std::optional<Json> parsed(std::string_view text) {
  try {
    return parse_strict_json(text);
  } catch (const JsonSyntaxError&) {
    return std::nullopt;
  }
}

/// Undoes JSON's quoting as often as it was applied: "\"3\"" becomes 3.
std::string unquoted(std::string text) {
  for (;;) {
    const std::string_view inner = trimmed(text);
    if (inner.size() < 2 || inner.front() != '"' || inner.back() != '"') {
      return text;
    }
    std::optional<Json> value = parsed(inner);
    if (!value || !value->is_string()) return text;
    text = value->get<std::string>();
  }
}

/// What from_chars makes of the whole text; numbers beyond the range, nan and
/// inf are no numbers.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

/// 3.0 is 3 where a platform may have turned a whole number into a double.
std::optional<std::int64_t> whole_number(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (number != std::floor(number) || std::abs(number) > kExact) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

/// Text to JSON, by the type of the option. A text that is no such value stays
/// a JSON string, which the typed reader then refuses with its usual words.
class TextReader {
 public:
  TextReader(std::vector<std::string> texts, TextRules rules)
      : texts_(std::move(texts)), rules_(rules) {
    if (rules == TextRules::kPlatform) {
      for (std::string& text : texts_) text = unquoted(std::move(text));
    }
  }

  Json operator()(const bool*) const {
    const std::string word = lower(only());
    if (word == "true") return true;
    if (word == "false") return false;
    return raw();
  }

  Json operator()(const std::int64_t*) const {
    if (const auto number = number_in<std::int64_t>(only())) return *number;
    if (rules_ == TextRules::kPlatform) {
      if (const auto number = number_in<double>(only())) {
        if (const auto whole = whole_number(*number)) return *whole;
      }
    }
    return raw();
  }

  Json operator()(const double*) const {
    if (const auto number = number_in<double>(only())) return *number;
    return raw();
  }

  template <class Value>
  Json operator()(const std::optional<Value>*) const {
    const std::string word = lower(only());
    if (word == "none" || word == "null") return nullptr;
    return (*this)(static_cast<const Value*>(nullptr));
  }

  Json operator()(const std::string*) const { return raw(); }

  Json operator()(const EnumRef&) const { return std::string(only()); }

  Json operator()(const std::vector<std::string>*) const {
    Json items = Json::array();
    for (const std::string& text : texts_) {
      std::optional<Json> list;
      if (trimmed(text).starts_with('[')) list = parsed(text);
      if (list && list->is_array()) {
        for (Json& item : *list) items.push_back(std::move(item));
      } else if (!text.empty()) {
        items.push_back(text);
      }
    }
    return items;
  }

  Json operator()(const std::vector<double>*) const {
    Json items = Json::array();
    for (const std::string& text : texts_) append_numbers(text, items);
    return items;
  }

  Json operator()(const ClassWeights*) const {
    const std::string word = lower(only());
    if (word == "none" || word == "balanced") return word;
    return (*this)(static_cast<const std::vector<double>*>(nullptr));
  }

 private:
  std::string_view only() const { return trimmed(texts_.back()); }
  Json raw() const { return texts_.back(); }

  /// "[1, 2]" and "1, 2" are lists; what is no number stays text.
  static void append_numbers(std::string_view text, Json& items) {
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) {
      text = trimmed(text.substr(1, text.size() - 2));
      if (text.empty()) return;
    }
    for (;;) {
      const std::size_t comma = text.find(',');
      const std::string_view item = trimmed(text.substr(0, comma));
      if (const auto number = number_in<double>(item)) {
        items.push_back(*number);
      } else {
        items.push_back(std::string(item));
      }
      if (comma == std::string_view::npos) return;
      text = text.substr(comma + 1);
    }
  }

  std::vector<std::string> texts_;
  TextRules rules_;
};

bool takes_list(const ValueRef& value) {
  return std::holds_alternative<std::vector<std::string>*>(value) ||
         std::holds_alternative<std::vector<double>*>(value) ||
         std::holds_alternative<ClassWeights*>(value);
}

}  // namespace

std::optional<std::string> set_value_from_text(
    const OptionField& field, const std::vector<std::string>& texts,
    TextRules rules) {
  if (texts.size() != 1 && !takes_list(field.value)) {
    return "given " + std::to_string(texts.size()) +
           " times; give it once, it takes one value";
  }
  return set_value(field, std::visit(TextReader(texts, rules), field.value));
}

}  // namespace longformer
