// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "longformer/config/class_weights.h"
#include "longformer/config/field.h"

namespace longformer {

/// A member that is an enum, without its type.
struct EnumRef {
  void* value = nullptr;
  std::span<const std::string_view> names;
  int (*get)(const void* value) = nullptr;
  void (*set)(void* value, int index) = nullptr;
};

/// A member of an options struct. These are the types an option can have; a
/// new one needs an alternative here and its cases in option_values.cpp.
using ValueRef =
    std::variant<bool*, std::int64_t*, double*, std::string*,
                 std::vector<std::string>*, std::vector<double>*,
                 std::optional<bool>*, std::optional<std::int64_t>*,
                 std::optional<double>*, ClassWeights*, EnumRef>;

/// One option of one object: where its value is and what is said about it.
/// Valid as long as the object.
struct OptionField {
  FieldInfo info;
  std::string_view group;
  ValueRef value;
};

namespace detail {

template <class Value>
ValueRef value_ref(Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return EnumRef{&value, EnumNames<Value>::kNames,
                   [](const void* at) {
                     return static_cast<int>(*static_cast<const Value*>(at));
                   },
                   [](void* at, int index) {
                     *static_cast<Value*>(at) = static_cast<Value>(index);
                   }};
  } else {
    return &value;
  }
}

}  // namespace detail

/// All options of `options`, in the order of declaration. This is the only
/// template between the list and its consumers: flags, JSON, documents.
/// Options::kNothingIsRequired makes all of them optional.
template <class Options>
std::vector<OptionField> bind_fields(Options& options) {
  std::vector<OptionField> fields;
  Options::describe([&](auto group_member, std::string_view title) {
    auto& group = options.*group_member;
    std::remove_reference_t<decltype(group)>::describe(
        [&](auto member, FieldInfo info) {
          if constexpr (requires { Options::kNothingIsRequired; }) {
            info.is_required = false;
          }
          fields.push_back({info, title, detail::value_ref(group.*member)});
        });
  });
  return fields;
}

/// The field called `name`, or nullptr.
inline const OptionField* find_field(const std::vector<OptionField>& fields,
                                     std::string_view name) {
  for (const OptionField& field : fields) {
    if (field.info.name == name) return &field;
  }
  return nullptr;
}

}  // namespace longformer
