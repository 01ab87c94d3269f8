// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace longformer::test {

/// Converts to anything; only for use in types, never run.
struct AnyValue {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <std::size_t>
using AnyValueAt = AnyValue;

template <class T, class Indices, class = void>
struct TakesValues : std::false_type {};

template <class T, std::size_t... I>
struct TakesValues<T, std::index_sequence<I...>,
                   std::void_t<decltype(T{AnyValueAt<I>{}...})>>
    : std::true_type {};

/// Number of members of the aggregate T.
template <class T, std::size_t N = 0>
constexpr std::size_t member_count() {
  if constexpr (TakesValues<T, std::make_index_sequence<N + 1>>::value) {
    return member_count<T, N + 1>();
  } else {
    return N;
  }
}

}  // namespace longformer::test
