// SPDX-License-Identifier: MIT
#include "label_observations.h"

#include <cstdint>
#include <variant>

#include "longformer/base/error.h"

#include "label_text.h"

namespace longformer {
namespace {

bool is_json_list(const std::string& text) {
  if (!is_list_text(text)) return false;  // Most texts: nothing is parsed.
  try {
    labels_in_text(text);
    return true;
  } catch (const DataError&) {
    return false;  // A name in brackets.
  }
}

}  // namespace

void TextLabels::add(const std::string& text) {
  distinct.insert(text);
  const bool is_number = number_in(text).has_value();
  all_numbers = all_numbers && is_number;
  any_fraction = any_fraction || (is_number && !is_integer_notation(text));
  any_bar = any_bar || text.find('|') != std::string::npos;
  all_lists = all_lists && is_json_list(text);
}

std::set<std::string> TextLabels::parts() const {
  std::set<std::string> names;
  for (const std::string& text : distinct) {
    for (const LabelScalar& name : labels_in_text(text)) {
      names.insert(label_name(name));
    }
  }
  return names;
}

bool TextLabels::list_names() const {
  if (all_lists) return true;
  if (!any_bar) return false;
  for (const std::string& text : distinct) {
    if (is_list_text(text)) return false;  // Names in brackets.
  }
  return parts().size() < distinct.size();
}

void ListLabels::add(const std::vector<LabelScalar>& list) {
  if (!any_) length = list.size();
  any_ = true;
  same_length = same_length && list.size() == length;
  for (const LabelScalar& scalar : list) add(scalar);
}

void ListLabels::add(const LabelScalar& scalar) {
  const bool is_boolean = std::holds_alternative<bool>(scalar);
  const bool is_text = std::holds_alternative<std::string>(scalar);
  const auto* integer = std::get_if<std::int64_t>(&scalar);
  const auto* real = std::get_if<double>(&scalar);
  any_boolean = any_boolean || is_boolean;
  any_text = any_text || is_text;
  any_real = any_real || real != nullptr;
  const bool is_flag =
      is_boolean || (integer != nullptr && (*integer == 0 || *integer == 1)) ||
      (real != nullptr && (*real == 0 || *real == 1));
  only_flags = only_flags && is_flag;
  if (is_text || integer != nullptr) names.insert(label_name(scalar));
}

}  // namespace longformer
