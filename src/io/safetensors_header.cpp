// SPDX-License-Identifier: MIT
#include "safetensors_header.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "byte_order.h"
#include "format_error.h"

namespace longformer {
namespace {

using PlainJson = nlohmann::json;

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr int kMaxDepth = 128;

/// One entry of the header.
struct HeaderEntry {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::vector<std::int64_t>> shape;
  std::vector<std::uint64_t> offsets;
  bool has_offsets = false;
};

/// Takes the parser's events, so that no document is built in memory.
class HeaderHandler {
 public:
  using number_integer_t = PlainJson::number_integer_t;
  using number_unsigned_t = PlainJson::number_unsigned_t;
  using number_float_t = PlainJson::number_float_t;
  using string_t = PlainJson::string_t;
  using binary_t = PlainJson::binary_t;

  bool null() {
    // The reference implementation takes a missing and a null metadata alike.
    if (depth_ == 1 && in_metadata_) return true;
    return other_value("null");
  }
  bool boolean(bool) { return other_value("a boolean"); }
  bool number_integer(number_integer_t) {
    return other_value("a negative number");
  }
  bool number_float(number_float_t, const string_t&) {
    return other_value("a number that is not an integer in range");
  }
  bool binary(binary_t&) { return false; }
  bool number_unsigned(number_unsigned_t value);
  bool string(string_t& value);
  bool key(string_t& value);
  bool start_object(std::size_t);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error);

  std::vector<HeaderEntry> entries;

 private:
  enum class Field { kNone, kDType, kShape, kOffsets, kUnknown };

  [[noreturn]] void fail(const std::string& reason) const {
    if (depth_ >= 1 && !in_metadata_ && !entries.empty()) {
      fail_tensor(entries.back().name, "in the header, " + reason);
    }
    throw FormatError("the header is not that of a safetensors file: " +
                      reason);
  }
  bool other_value(const std::string& what);
  /// True inside the value of a field that we do not know.
  bool is_skipping() const {
    return depth_ >= 2 && !in_metadata_ && field_ == Field::kUnknown;
  }

  int depth_ = 0;
  bool in_metadata_ = false;
  bool has_metadata_ = false;
  Field field_ = Field::kNone;
};

bool HeaderHandler::other_value(const std::string& what) {
  if (is_skipping()) return true;
  if (depth_ == 0) fail("it is " + what + " and not an object");
  if (in_metadata_) fail("\"__metadata__\" holds " + what);
  if (depth_ == 1) fail("the entry is " + what + " and not an object");
  switch (field_) {
    case Field::kDType:
      fail("the dtype is " + what + " and not a string");
    case Field::kShape:
      fail("the shape holds " + what);
    default:
      fail("data_offsets holds " + what);
  }
}

bool HeaderHandler::number_unsigned(number_unsigned_t value) {
  if (is_skipping()) return true;
  if (depth_ != 3) return other_value("a number");
  HeaderEntry& entry = entries.back();
  if (field_ == Field::kShape) {
    if (value > std::numeric_limits<std::int64_t>::max()) {
      fail("the dimension " + std::to_string(value) + " is too large");
    }
    if (entry.shape->size() == kMaxDimensions) {
      fail("the shape has more than " + std::to_string(kMaxDimensions) +
           " dimensions");
    }
    entry.shape->push_back(static_cast<std::int64_t>(value));
  } else {
    if (entry.offsets.size() == 2) fail("data_offsets has more than 2 numbers");
    entry.offsets.push_back(value);
  }
  return true;
}

bool HeaderHandler::string(string_t& value) {
  if (is_skipping() || (in_metadata_ && depth_ == 2)) return true;
  if (depth_ == 2 && field_ == Field::kDType) {
    entries.back().dtype = parse_dtype(value);
    if (!entries.back().dtype)
      fail("the dtype " + in_quotes(value) + " is unknown");
    return true;
  }
  return other_value("the string " + in_quotes(value));
}

bool HeaderHandler::key(string_t& value) {
  if (depth_ == 1) {
    in_metadata_ = value == "__metadata__";
    if (in_metadata_) {
      if (std::exchange(has_metadata_, true)) {
        fail("\"__metadata__\" appears twice");
      }
      return true;
    }
    if (entries.size() == kMaxTensors) {
      throw FormatError("has more than " + std::to_string(kMaxTensors) +
                        " tensors");
    }
    entries.emplace_back();
    entries.back().name = std::move(value);
    field_ = Field::kNone;
    return true;
  }
  if (depth_ != 2 || in_metadata_) return true;
  const HeaderEntry& entry = entries.back();
  const bool is_second = (value == "dtype" && entry.dtype) ||
                         (value == "shape" && entry.shape) ||
                         (value == "data_offsets" && entry.has_offsets);
  if (is_second) fail(in_quotes(value) + " appears twice");
  field_ = value == "dtype"          ? Field::kDType
           : value == "shape"        ? Field::kShape
           : value == "data_offsets" ? Field::kOffsets
                                     : Field::kUnknown;
  return true;
}

bool HeaderHandler::start_object(std::size_t) {
  const bool is_expected = depth_ <= 1 || is_skipping();
  if (!is_expected) other_value("an object");
  if (++depth_ > kMaxDepth) fail("it is nested too deeply");
  return true;
}

bool HeaderHandler::end_object() {
  --depth_;
  if (depth_ == 0 || depth_ > 1) return true;
  if (!in_metadata_) {
    const HeaderEntry& entry = entries.back();
    if (!entry.dtype) fail("\"dtype\" is missing");
    if (!entry.shape) fail("\"shape\" is missing");
    if (!entry.has_offsets) fail("\"data_offsets\" is missing");
  }
  return true;
}

bool HeaderHandler::start_array(std::size_t) {
  if (!is_skipping()) {
    const bool is_list = field_ == Field::kShape || field_ == Field::kOffsets;
    if (depth_ != 2 || in_metadata_ || !is_list) return other_value("a list");
    if (field_ == Field::kShape) {
      entries.back().shape.emplace();
    } else {
      entries.back().has_offsets = true;
    }
  }
  if (++depth_ > kMaxDepth) fail("it is nested too deeply");
  return true;
}

bool HeaderHandler::end_array() {
  --depth_;
  if (!is_skipping() && field_ == Field::kOffsets &&
      entries.back().offsets.size() != 2) {
    fail("data_offsets has " + std::to_string(entries.back().offsets.size()) +
         " numbers and not 2");
  }
  return true;
}

bool HeaderHandler::parse_error(std::size_t position, const std::string&,
                                const nlohmann::detail::exception& error) {
  std::string reason = error.what();
  // "[json.exception.parse_error.101] parse error at line 1, column 2: why"
  const std::size_t colon = reason.find(": ");
  if (colon != std::string::npos) reason = reason.substr(colon + 2);
  fail("byte " + std::to_string(position) + " of it is not JSON (" +
       in_quotes(reason) + ")");
}

/// The JSON text of the header.
std::string_view header_text(std::string_view content) {
  if (content.size() < 8) {
    throw FormatError("has only " + std::to_string(content.size()) +
                      " bytes; the file is truncated, get it again");
  }
  const auto length = read_little_endian<std::uint64_t>(content);
  content.remove_prefix(8);
  if (length > kMaxHeaderBytes) {
    throw FormatError(
        "says that its header has " + std::to_string(length) +
        " bytes, at most " + std::to_string(kMaxHeaderBytes) +
        " are allowed; this is not a safetensors file or it is damaged");
  }
  if (length > content.size()) {
    throw FormatError("says that its header has " + std::to_string(length) +
                      " bytes, but only " + std::to_string(content.size()) +
                      " follow; the file is truncated, get it again");
  }
  const std::string_view text = content.substr(0, length);
  if (!text.starts_with('{')) {
    throw FormatError(
        "its header does not start with {; this is not a "
        "safetensors file or it is damaged");
  }
  // The parser would take a NUL for the end and ignore what follows.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    throw FormatError("byte " + std::to_string(nul + 1) +
                      " of its header is NUL; the header's length is wrong or "
                      "the file is damaged");
  }
  return text;
}

/// Checks one entry by itself.
void check_entry(const HeaderEntry& entry) {
  const std::uint64_t begin = entry.offsets[0];
  const std::uint64_t end = entry.offsets[1];
  if (end < begin) {
    fail_tensor(entry.name, "its data end at " + std::to_string(end) +
                                ", before they begin at " +
                                std::to_string(begin));
  }
  const std::int64_t num_elements = product(*entry.shape).value_or(-1);
  const std::int64_t num_bytes =
      dtype_bytes(*entry.dtype, num_elements).value_or(-1);
  const std::string what =
      std::string(dtype_name(*entry.dtype)) + " " + shape_text(*entry.shape);
  if (num_bytes < 0) {
    fail_tensor(entry.name, what + " is no possible size of data");
  }
  if (end - begin != static_cast<std::uint64_t>(num_bytes)) {
    fail_tensor(entry.name, what + " takes " + std::to_string(num_bytes) +
                                " bytes, but its data_offsets span " +
                                std::to_string(end - begin));
  }
}

/// Checks that the data of sorted entries follow each other without gap.
void check_order(const std::vector<HeaderEntry>& entries) {
  std::uint64_t expected = 0;
  for (const HeaderEntry& entry : entries) {
    const std::uint64_t begin = entry.offsets[0];
    if (begin < expected) {
      fail_tensor(entry.name, "its data begin " +
                                  std::to_string(expected - begin) +
                                  " bytes before those of " +
                                  in_quotes((&entry - 1)->name) + " end");
    }
    if (begin > expected) {
      fail_tensor(entry.name, std::to_string(begin - expected) +
                                  " bytes before its data belong to nothing");
    }
    expected = entry.offsets[1];
  }
}

void check_file_size(const std::vector<HeaderEntry>& entries,
                     std::uint64_t data_start, std::uint64_t file_bytes) {
  const std::uint64_t data_bytes =
      entries.empty() ? 0 : entries.back().offsets[1];
  const std::uint64_t available = file_bytes - data_start;
  if (data_bytes == available) return;
  const std::string sizes = "its header describes a file of " +
                            std::to_string(data_start + data_bytes) +
                            " bytes (expected size), but it has " +
                            std::to_string(file_bytes) + " bytes (actual size)";
  if (data_bytes < available) {
    throw FormatError(sizes +
                      "; something was appended or the header is "
                      "damaged, get the file again");
  }
  const auto cut = std::find_if(
      entries.begin(), entries.end(),
      [&](const HeaderEntry& entry) { return entry.offsets[1] > available; });
  throw FormatError(sizes + "; it is truncated inside tensor " +
                    in_quotes(cut->name) + ", get the file again");
}

}  // namespace

WeightLayout read_safetensors_header(std::string_view content) {
  const std::string_view text = header_text(content);
  HeaderHandler handler;
  PlainJson::sax_parse(text.begin(), text.end(), &handler);
  std::vector<HeaderEntry>& entries = handler.entries;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const HeaderEntry& a, const HeaderEntry& b) {
                     return a.offsets < b.offsets;
                   });
  for (const HeaderEntry& entry : entries) check_entry(entry);

  WeightLayout layout;
  const std::uint64_t data_start = 8 + text.size();
  for (const HeaderEntry& entry : entries) {
    StoredTensor where;
    where.offset = data_start + entry.offsets[0];
    layout.add(entry.name, *entry.dtype, *entry.shape, std::move(where));
  }
  check_names_unique(layout.entries);
  check_order(entries);
  check_file_size(entries, data_start, content.size());
  return layout;
}

}  // namespace longformer
