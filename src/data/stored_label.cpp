// SPDX-License-Identifier: MIT
#include "stored_label.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {
namespace {

// A scalar is a tag and its value; a list is 'l' and, for each element, its
// size (32 bits) and the element. No label is no bytes.
constexpr char kText = 't';
constexpr char kInteger = 'i';
constexpr char kBoolean = 'b';
constexpr char kNumber = 'd';
constexpr char kList = 'l';

template <class T>
void append_value(const T& value, std::vector<char>& bytes) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class Scalar>
void append_scalar(const Scalar& scalar, std::vector<char>& bytes) {
  using T = std::decay_t<Scalar>;
  if constexpr (std::is_same_v<T, std::string>) {
    bytes.push_back(kText);
    bytes.insert(bytes.end(), scalar.begin(), scalar.end());
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    bytes.push_back(kInteger);
    append_value(scalar, bytes);
  } else if constexpr (std::is_same_v<T, bool>) {
    bytes.push_back(kBoolean);
    bytes.push_back(scalar ? 1 : 0);
  } else {
    bytes.push_back(kNumber);
    append_value(scalar, bytes);
  }
}

void append_list(const std::vector<LabelScalar>& list,
                 std::vector<char>& bytes) {
  bytes.push_back(kList);
  std::vector<char> element;
  for (const LabelScalar& scalar : list) {
    element.clear();
    std::visit([&](const auto& value) { append_scalar(value, element); },
               scalar);
    append_value(static_cast<std::uint32_t>(element.size()), bytes);
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
}

[[noreturn]] void damaged() {
  throw DataError("a stored label is damaged; delete the token cache");
}

template <class T>
T read_value(std::span<const char> bytes) {
  if (bytes.size() < sizeof(T)) damaged();
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

LabelScalar read_scalar(std::span<const char> bytes) {
  if (bytes.empty()) damaged();
  const std::span<const char> value = bytes.subspan(1);
  switch (bytes[0]) {
    case kText:
      return std::string(value.begin(), value.end());
    case kInteger:
      return read_value<std::int64_t>(value);
    case kBoolean:
      return read_value<char>(value) != 0;
    case kNumber:
      return read_value<double>(value);
    default:
      damaged();
  }
}

std::vector<LabelScalar> read_list(std::span<const char> bytes) {
  std::vector<LabelScalar> list;
  while (!bytes.empty()) {
    const std::size_t size = read_value<std::uint32_t>(bytes);
    bytes = bytes.subspan(sizeof(std::uint32_t));
    if (size > bytes.size()) damaged();
    list.push_back(read_scalar(bytes.first(size)));
    bytes = bytes.subspan(size);
  }
  return list;
}

}  // namespace

void append_stored_label(const RawLabel& label, std::vector<char>& bytes) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::vector<LabelScalar>>) {
          append_list(value, bytes);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          append_scalar(value, bytes);
        }
      },
      label);
}

RawLabel stored_label(std::span<const char> bytes) {
  if (bytes.empty()) return std::monostate{};
  if (bytes[0] == kList) return read_list(bytes.subspan(1));
  return std::visit([](auto&& value) { return RawLabel(std::move(value)); },
                    read_scalar(bytes));
}

}  // namespace longformer
