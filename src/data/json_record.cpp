// SPDX-License-Identifier: MIT
#include "json_record.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "longformer/base/error.h"

#include "label_text.h"

namespace longformer {
namespace {

std::string keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys.empty() ? "no keys at all" : "the keys " + list_names(keys);
}

/// The value of `key` taken out of the object; null if there is none.
Json* value_of(Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string take_text(Json& object, const std::string& key) {
  Json* value = value_of(object, key);
  if (value == nullptr) {
    throw DataError("the row has no key " + in_quotes(key) + ", only " +
                    keys_of(object) +
                    "; fix the row or the option that names the column");
  }
  if (!value->is_string()) {
    throw DataError(in_quotes(key) + " is " + kind_of_json(*value) +
                    ", not a string; put the text into quotes");
  }
  return std::move(value->get_ref<std::string&>());
}

std::vector<std::int32_t> integers(const Json& value, const std::string& key) {
  if (!value.is_array()) {
    throw DataError(in_quotes(key) + " is " + kind_of_json(value) +
                    ", not a list of integers; fix the row");
  }
  std::vector<std::int32_t> numbers;
  numbers.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Json& element = value[i];
    // Unsigned values beyond the signed range would wrap.
    const bool fits =
        element.is_number_unsigned()
            ? element.get<std::uint64_t>() <=
                  std::uint64_t{std::numeric_limits<std::int32_t>::max()}
            : element.is_number_integer() &&
                  element.get<std::int64_t>() >=
                      std::numeric_limits<std::int32_t>::min();
    if (!fits) {
      throw DataError("element " + std::to_string(i) + " of " + in_quotes(key) +
                      " is no integer of 32 bits; fix the row");
    }
    numbers.push_back(element.get<std::int32_t>());
  }
  return numbers;
}

void check_length(const std::vector<std::int32_t>& values,
                  const std::string& key, std::size_t num_ids) {
  if (values.size() == num_ids) return;
  throw DataError(in_quotes(key) + " has " + counted(values.size(), "element") +
                  " but input_ids has " + std::to_string(num_ids) +
                  "; there must be one for each");
}

/// Places of the ones in a list of zeros and ones.
std::vector<std::int32_t> ones_in(const std::vector<std::int32_t>& mask,
                                  const std::string& key) {
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0 && mask[i] != 1) {
      throw DataError("element " + std::to_string(i) + " of " + in_quotes(key) +
                      " is " + std::to_string(mask[i]) +
                      "; a mask holds 0 and 1 only");
    }
    if (mask[i] == 1) places.push_back(static_cast<std::int32_t>(i));
  }
  return places;
}

std::vector<std::int32_t> sorted_positions(std::vector<std::int32_t> places) {
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  if (twice != places.end()) {
    throw DataError(
        "global_attention names position " + std::to_string(*twice) +
        " twice; it is a list of token positions (a mask of 0 and 1 belongs "
        "into global_attention_mask)");
  }
  if (!places.empty() && places[0] < 0) {
    throw DataError("global_attention holds the position " +
                    std::to_string(places[0]) +
                    "; positions count from 0 at the first token");
  }
  return places;
}

/// Drops what attention_mask marks as padding at the end.
void drop_padding(const std::vector<std::int32_t>& mask, Record& record) {
  const auto real = ones_in(mask, "attention_mask");
  if (!real.empty() &&
      static_cast<std::size_t>(real.back()) + 1 != real.size()) {
    throw DataError(
        "attention_mask has zeros before the last one; only padding at the end "
        "can be left out, tokens inside a document cannot be hidden");
  }
  record.input_ids->resize(real.size());
  if (!record.token_type_ids.empty()) {
    record.token_type_ids.resize(real.size());
  }
}

void read_ids(const Json& object, Record& record) {
  record.input_ids = integers(object.at("input_ids"), "input_ids");
  const std::size_t count = record.input_ids->size();
  const auto optional_list = [&](const char* key) {
    const auto found = object.find(key);
    std::optional<std::vector<std::int32_t>> values;
    if (found != object.end() && !found->is_null()) {
      values = integers(*found, key);
      check_length(*values, key, count);
    }
    return values;
  };
  if (auto types = optional_list("token_type_ids")) {
    // All zero is what the model assumes anyway.
    if (std::any_of(types->begin(), types->end(),
                    [](std::int32_t type) { return type != 0; })) {
      record.token_type_ids = std::move(*types);
    }
  }
  if (auto mask = optional_list("global_attention_mask")) {
    record.global_attention = ones_in(*mask, "global_attention_mask");
  }
  if (auto mask = optional_list("attention_mask")) {
    drop_padding(*mask, record);
    // A global flag on padding has no effect, as in the reference.
    if (record.global_attention) {
      std::erase_if(*record.global_attention, [&](std::int32_t place) {
        return static_cast<std::size_t>(place) >= record.input_ids->size();
      });
    }
  }
}

void read_label(Json& object, const ReaderSettings& settings, Record& record) {
  if (settings.label_column.empty()) return;
  Json* value = value_of(object, settings.label_column);
  if (value == nullptr) {
    if (!settings.require_label) return;
    throw DataError("the row has no label: no key " +
                    in_quotes(settings.label_column) + ", only " +
                    keys_of(object) +
                    "; add it or set the option label_column");
  }
  try {
    record.label = label_from_json(*value);
  } catch (const DataError&) {
    if (settings.require_label) throw;
  }
}

/// A file that wraps its rows: {"data": [{...}, {...}]}.
void refuse_wrapped_rows(const Json& object, const ReaderSettings& settings) {
  const auto is_record = [&](const Json& value) {
    return value.is_object() && (value.contains("input_ids") ||
                                 value.contains(settings.reading.text_column));
  };
  if (is_record(object)) return;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_array() || value.empty() || !is_record(value[0])) continue;
    throw DataError("the row is no record but holds a list of them under " +
                    in_quotes(key) +
                    "; one object a line or an array of objects is needed, "
                    "without anything around it");
  }
}

void read_record(Json& object, const ReaderSettings& settings, Record& record) {
  if (!object.is_object()) {
    throw DataError("the row is " + kind_of_json(object) +
                    ", not an object such as {\"text\": \"...\", \"label\": "
                    "\"...\"}; fix the row");
  }
  refuse_wrapped_rows(object, settings);
  if (Json* id = value_of(object, "id")) record.id = *id;
  read_label(object, settings, record);
  const auto given = object.find("global_attention");
  const bool has_positions = given != object.end() && !given->is_null();
  if (object.contains("input_ids")) {
    read_ids(object, record);
    if (has_positions && record.global_attention) {
      throw DataError(
          "the row has both global_attention and global_attention_mask; keep "
          "one of them");
    }
  } else {
    record.text = take_text(object, settings.reading.text_column);
    const std::string& pair = settings.reading.text_pair_column;
    if (!pair.empty()) record.text_pair = take_text(object, pair);
  }
  if (has_positions) {
    record.global_attention =
        sorted_positions(integers(*given, "global_attention"));
  }
}

/// Where in the file a place in the row's own text is.
void set_problem_place(const JsonSyntaxError& error, RawRow& row) {
  const bool same_line = error.line() == 1;
  row.problem_line = row.position.line + error.line() - 1;
  row.problem_column = static_cast<std::int32_t>(std::min<std::int64_t>(
      error.column() + (same_line ? row.position.column - 1 : 0),
      std::numeric_limits<std::int32_t>::max()));
}

/// The code unit of an escape such as \uD83D at `at`, or -1.
int escaped_unit(const std::string& json, std::size_t at) {
  if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u')
    return -1;
  int unit = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const auto c = static_cast<unsigned char>(json[i]);
    if (std::isxdigit(c) == 0) return -1;
    unit = unit * 16 + (c <= '9' ? c - '0' : std::tolower(c) - 'a' + 10);
  }
  return unit;
}

/// Whether the row ends before its object does, as the lines of a file do in
/// which objects are spread over several.
bool is_beginning(const std::string& json, const JsonSyntaxError& error) {
  const std::size_t begin = json.find_first_not_of(" \t\r");
  return begin != std::string::npos && json[begin] == '{' &&
         std::string_view(error.what()).find("end of input") !=
             std::string_view::npos;
}

}  // namespace

std::int64_t repair_surrogate_escapes(std::string& json) {
  std::int64_t replaced = 0;
  std::size_t at = json.find('\\');
  while (at != std::string::npos) {
    const int unit = escaped_unit(json, at);
    std::size_t next = at + 2;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
      const int partner = escaped_unit(json, at + 6);
      next = at + 12;
      if (unit > 0xDBFF || partner < 0xDC00 || partner > 0xDFFF) {
        json.replace(at, 6, "\\uFFFD");
        ++replaced;
        next = at + 6;
      }
    }
    at = next < json.size() ? json.find('\\', next) : std::string::npos;
  }
  return replaced;
}

void parse_json_row(RawRow& row, const ReaderSettings& settings) {
  repair_utf8(row.json, row.replaced);
  row.replaced += repair_surrogate_escapes(row.json);
  try {
    Json value = parse_strict_json(row.json);
    std::string().swap(row.json);
    read_record(value, settings, row.record);
  } catch (const JsonSyntaxError& error) {
    set_problem_place(error, row);
    row.problem = std::string(error.what()) + "; fix the row" +
                  (is_beginning(row.json, error)
                       ? ": one object a line or an array of objects is "
                         "needed, and this line is only the beginning of an "
                         "object"
                       : "");
  } catch (const DataError& error) {
    row.problem = error.what();
  }
  if (!row.problem.empty()) row.record = Record();
}

}  // namespace longformer
