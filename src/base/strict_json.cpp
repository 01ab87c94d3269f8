// SPDX-License-Identifier: MIT
#include "longformer/base/strict_json.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace longformer {
namespace {

/// Builds the value from parser events; refuses what the grammar allows but we
/// do not. Errors are positioned by the byte offset that the lexer reports.
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit Builder(int max_depth) : max_depth_(max_depth) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) {
    return add(value);
  }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& value) {
    Level& level = levels_.back();
    if (!level.keys.insert(value).second) {
      reason = "the key \"" + value + "\" appears twice";
      return false;
    }
    level.key = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) {
    offset = position;
    reason = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: why",
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    const std::size_t id = reason.find("] ");
    if (id != std::string::npos) reason = reason.substr(id + 2);
    const std::size_t colon = reason.find(": ");
    if (colon != std::string::npos) reason = reason.substr(colon + 2);
    return false;
  }

  Json root;
  std::string reason;
  std::size_t offset = std::string::npos;  ///< Unknown: use the parser's.

 private:
  struct Level {
    Json value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  template <class Value>
  bool add(Value&& value) {
    if (levels_.empty()) {
      root = std::forward<Value>(value);
    } else if (levels_.back().value.is_array()) {
      levels_.back().value.emplace_back(std::forward<Value>(value));
    } else {
      // Not operator[]: an ordered object searches linearly for the key, and
      // key() has already made sure that it is new.
      auto& object = levels_.back().value.get_ref<Json::object_t&>();
      object.std::vector<std::pair<const std::string, Json>>::emplace_back(
          std::move(levels_.back().key), std::forward<Value>(value));
    }
    return true;
  }

  bool open(Json value) {
    if (static_cast<int>(levels_.size()) >= max_depth_) {
      reason = "nested more than " + std::to_string(max_depth_) + " deep";
      return false;
    }
    levels_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }

  int max_depth_;
  std::vector<Level> levels_;
};

/// Remembers how far the parser has read, for errors found by the builder.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest)
      : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator copy = *this;
    ++*this;
    return copy;
  }
  bool operator==(const CountingIterator& other) const {
    return at_ == other.at_;
  }
  bool operator!=(const CountingIterator& other) const {
    return at_ != other.at_;
  }

 private:
  const char* at_;
  const char** furthest_;
};

}  // namespace

Json parse_strict_json(std::string_view text, int max_depth) {
  Builder builder(max_depth);
  const char* furthest = text.data();
  const bool accepted =
      Json::sax_parse(CountingIterator(text.data(), &furthest),
                      CountingIterator(text.data() + text.size(), &furthest),
                      &builder, Json::input_format_t::json, /*strict=*/true);
  if (accepted) {
    // The parser takes a NUL for the end and ignores what follows it.
    const std::size_t nul = text.find('\0');
    if (nul == std::string_view::npos) return std::move(builder.root);
    builder.offset = nul + 1;
    builder.reason = "a NUL byte is not allowed";
  }
  std::size_t offset = builder.offset != std::string::npos
                           ? builder.offset
                           : static_cast<std::size_t>(furthest - text.data());
  offset = std::min(offset, text.size());
  const std::size_t before = offset == 0 ? 0 : offset - 1;
  const std::string_view read = text.substr(0, before);
  const auto line = std::count(read.begin(), read.end(), '\n') + 1;
  const std::size_t last = read.rfind('\n');
  const std::size_t column =
      last == std::string_view::npos ? before + 1 : before - last;
  throw JsonSyntaxError(line, static_cast<std::int64_t>(column),
                        builder.reason);
}

std::string describe(const JsonSyntaxError& error) {
  std::string text =
      "column " + std::to_string(error.column()) + ": " + error.what();
  if (error.line() > 1) {
    text = "line " + std::to_string(error.line()) + ", " + text;
  }
  return text;
}

}  // namespace longformer
