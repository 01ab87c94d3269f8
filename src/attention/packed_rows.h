// SPDX-License-Identifier: MIT
//
// Moves rows of tokens between tensors and the scratch memory of the window
// kernel, where a row is padded to whole vectors and rows lie side by side.
// Internal linkage; see vector_avx512.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "window_kernel.h"

namespace longformer {
namespace {

inline std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
inline std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}
inline std::int64_t round_up(std::int64_t x, std::int64_t step) {
  return (x + step - 1) / step * step;
}

template <class V>
std::int64_t padded_head_size(std::int64_t head_size) {
  return round_up(head_size, V::kWidth);
}

/// Hands out parts of one piece of memory, or only counts them.
class Scratch {
 public:
  /// memory: aligned to 64 bytes, or null to count.
  explicit Scratch(float* memory) : memory_(memory) {}

  float* take(std::int64_t floats) {
    float* part = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += round_up(floats, 16);
    return part;
  }
  std::int64_t used() const { return used_; }

 private:
  float* memory_;
  std::int64_t used_ = 0;
};

/// Tokens [first, first + count) times `factor`, padded with zeros.
template <class V>
void pack_rows(HeadRows tokens, std::int64_t first, std::int64_t count,
               std::int64_t head_size, float factor, float* rows) {
  const std::int64_t padded = padded_head_size<V>(head_size);
  const std::int64_t whole = head_size - head_size % V::kWidth;
  const auto scale = V::broadcast(factor);
  for (std::int64_t r = 0; r < count; ++r) {
    const float* from = tokens.first + (first + r) * tokens.stride;
    float* to = rows + r * padded;
    for (std::int64_t c = 0; c < whole; c += V::kWidth) {
      V::store(to + c, V::multiply(scale, V::load(from + c)));
    }
    for (std::int64_t c = whole; c < padded; ++c) {
      to[c] = c < head_size ? factor * from[c] : 0.0F;
    }
  }
}

/// tokens = rows * factor, or tokens += rows * factor.
template <class V, bool kAdd>
void unpack_rows(const float* rows, std::int64_t count, std::int64_t head_size,
                 float factor, MutableHeadRows tokens) {
  const std::int64_t padded = padded_head_size<V>(head_size);
  const std::int64_t whole = head_size - head_size % V::kWidth;
  const auto scale = V::broadcast(factor);
  for (std::int64_t r = 0; r < count; ++r) {
    const float* from = rows + r * padded;
    float* to = tokens.first + r * tokens.stride;
    for (std::int64_t c = 0; c < whole; c += V::kWidth) {
      auto row = V::multiply(scale, V::load(from + c));
      if constexpr (kAdd) row = V::add(V::load(to + c), row);
      V::store(to + c, row);
    }
    for (std::int64_t c = whole; c < head_size; ++c) {
      to[c] = (kAdd ? to[c] : 0.0F) + factor * from[c];
    }
  }
}

/// The keys and values around the current tile, packed. As tiles ascend it
/// slides: the memory holds a few windows, whatever the document's length.
template <class V>
class KeyWindow {
 public:
  KeyWindow(const WindowHead& head, PackedTokens& packed, Scratch& scratch)
      : head_(head),
        packed_(packed),
        padded_(padded_head_size<V>(head.head_size)),
        capacity_(smaller(head.length, capacity(head.window))),
        key_(scratch.take(capacity_ * padded_)),
        value_(scratch.take(capacity_ * padded_)),
        column_key_(scratch.take(kColumns * padded_)),
        column_value_(scratch.take(kColumns * padded_)) {}

  /// Columns packed at one time.
  static constexpr std::int64_t kColumns = 64;

  /// Makes tokens [begin, end) available; begin never decreases.
  void require(std::int64_t begin, std::int64_t end) {
    if (end <= packed_.end) return;
    if (packed_.end < begin || end - packed_.begin > capacity_) slide(begin);
    const std::int64_t row = packed_.end - packed_.begin;
    const std::int64_t count = end - packed_.end;
    pack_rows<V>(head_.key, packed_.end, count, head_.head_size, 1.0F,
                 key_ + row * padded_);
    pack_rows<V>(head_.value, packed_.end, count, head_.head_size, 1.0F,
                 value_ + row * padded_);
    packed_.end = end;
  }
  const float* key(std::int64_t token) const {
    return key_ + (token - packed_.begin) * padded_;
  }
  const float* value(std::int64_t token) const {
    return value_ + (token - packed_.begin) * padded_;
  }

  /// Makes global tokens [first, first + count) available, count <= kColumns.
  /// They are packed once where all fit.
  void require_columns(std::int64_t first, std::int64_t count) {
    if (packed_.columns_packed) return;
    pack_rows<V>(head_.key, first, count, head_.head_size, 1.0F, column_key_);
    pack_rows<V>(head_.value, first, count, head_.head_size, 1.0F,
                 column_value_);
    packed_.columns_packed = head_.globals <= kColumns;
  }
  const float* column_key() const { return column_key_; }
  const float* column_value() const { return column_value_; }

 private:
  /// A tile sees kTileQueries + 2 * window tokens; the rest is distance to
  /// cover before what is still needed has to move.
  static std::int64_t capacity(std::int64_t window) {
    const std::int64_t seen = kTileQueries + 2 * window;
    return seen + larger(512, seen / 2);
  }

  void slide(std::int64_t begin) {
    const std::int64_t kept = larger(0, packed_.end - begin);
    const std::int64_t row = (begin - packed_.begin) * padded_;
    const std::size_t bytes =
        static_cast<std::size_t>(kept * padded_) * sizeof(float);
    if (kept > 0) {
      __builtin_memmove(key_, key_ + row, bytes);
      __builtin_memmove(value_, value_ + row, bytes);
    }
    packed_.begin = begin;
    packed_.end = begin + kept;
  }

  const WindowHead& head_;
  PackedTokens& packed_;
  std::int64_t padded_;
  std::int64_t capacity_;
  float* key_;
  float* value_;
  float* column_key_;
  float* column_value_;
};

}  // namespace
}  // namespace longformer
