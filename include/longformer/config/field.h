// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace longformer {

/// Everything about an option that is not its type or its default. The default
/// is the member's initialiser and stands nowhere else.
struct FieldInfo {
  std::string_view name;  ///< snake_case, unique within one command.
  std::string_view help;  ///< Sentences, the last ends with a full stop.
  std::string_view unit_name = {};  ///< "tokens", "steps"; empty if none.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool max_excluded = false;   ///< The value must be below `max`.
  bool is_required = false;    ///< Leaving it out is an error.
  bool is_positional = false;  ///< May be given without its flag.

  constexpr FieldInfo unit(std::string_view text) const {
    FieldInfo copy = *this;
    copy.unit_name = text;
    return copy;
  }

  /// Accepts low <= value <= high; for lists, every item. NaN is refused.
  constexpr FieldInfo range(double low, double high) const {
    FieldInfo copy = *this;
    copy.min = low;
    copy.max = high;
    return copy;
  }

  /// Accepts low <= value < high.
  constexpr FieldInfo range_below(double low, double high) const {
    FieldInfo copy = range(low, high);
    copy.max_excluded = true;
    return copy;
  }

  /// Accepts value >= low.
  constexpr FieldInfo at_least(double low) const {
    FieldInfo copy = *this;
    copy.min = low;
    return copy;
  }

  constexpr FieldInfo required() const {
    FieldInfo copy = *this;
    copy.is_required = true;
    return copy;
  }

  constexpr FieldInfo positional() const {
    FieldInfo copy = *this;
    copy.is_positional = true;
    return copy;
  }
};

constexpr FieldInfo field(std::string_view name, std::string_view help) {
  FieldInfo info;
  info.name = name;
  info.help = help;
  return info;
}

/// Spellings of an enum in flags, JSON and documents. Specialised beside the
/// enum: `static constexpr std::array<std::string_view, N> kNames{...};`, where
/// kNames[i] belongs to the enumerator with value i.
template <class Enum>
struct EnumNames;

/// The spelling of `value`.
template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return EnumNames<Enum>::kNames[static_cast<std::size_t>(value)];
}

}  // namespace longformer
