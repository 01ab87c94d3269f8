// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "longformer/io/dtype.h"

namespace longformer {

/// What may appear in a pickle of weights.
enum class PickleKind : std::uint8_t {
  kNone,
  kBool,
  kInteger,
  kBigInteger,  ///< Beyond 64 bits: its little-endian bytes in `text`.
  kFloat,
  kText,
  kBytes,
  kTuple,
  kList,
  kSet,
  kDict,
  kOrderedDict,
  kGlobal,   ///< One of the callables that are allowed.
  kStorage,  ///< Persistent id: items are the parts of its tuple.
  kTensor,   ///< A tensor to rebuild: items are the callable's arguments.
};

/// The only names that a pickle may ask for.
enum class PickleGlobal : std::uint8_t {
  kOrderedDict,
  kRebuildTensor,
  kRebuildParameter,
  kParameter,
  kSize,
  kStorageType,
};

/// Index of a value in its document.
using PickleId = std::uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  PickleGlobal global = PickleGlobal::kSize;  ///< For kGlobal.
  DType dtype = DType::kU8;                   ///< For kStorageType.
  std::uint8_t depth = 0;                     ///< Of tuples in tuples.
  std::uint32_t slot = 0;    ///< Where containers keep their elements.
  std::int64_t integer = 0;  ///< For kBool and kInteger.
  std::string_view text;     ///< For kText, kBytes, kBigInteger.
};

/// The values of one pickle, all in one array and referring to each other by
/// index: nothing is nested in memory, so no depth can overflow the stack, in
/// reading or in destruction. Texts point into the pickle's bytes.
class PickleDocument {
 public:
  using Pair = std::pair<PickleId, PickleId>;

  const PickleValue& at(PickleId id) const { return values_[id]; }
  PickleId root() const { return root_; }
  /// Length of the pickle in bytes.
  std::size_t num_bytes() const { return num_bytes_; }
  std::size_t num_values() const { return values_.size(); }

  /// Elements of a tuple, list, set, storage or tensor.
  std::span<const PickleId> items(PickleId id) const;
  /// Keys and values of a dictionary, as they were stored.
  std::span<const Pair> pairs(PickleId id) const;

 private:
  friend class PickleMachine;

  std::deque<PickleValue> values_;
  std::deque<std::vector<PickleId>> sequences_;
  std::deque<std::vector<Pair>> dicts_;
  PickleId root_ = 0;
  std::size_t num_bytes_ = 0;
};

/// Reads the pickle at the start of `bytes`, which must outlive the result.
///
/// Nothing is executed. Opcodes and callables are those that state
/// dictionaries need (protocols 2 to 5 without out-of-band buffers); anything
/// else is refused by name, as is nesting beyond 200 levels and more values
/// than any state dictionary has. Throws FormatError. Memory: at most about
/// 32 MiB plus the length of `bytes`.
PickleDocument read_pickle(std::string_view bytes);

}  // namespace longformer
