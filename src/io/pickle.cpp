// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <utility>

#include "format_error.h"
#include "pickle_machine.h"

namespace longformer {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 18;
constexpr std::size_t kMaxStack = std::size_t{1} << 20;
constexpr std::size_t kMaxNesting = 200;
constexpr int kMaxProtocol = 5;
constexpr PickleId kUnset = 0xFFFFFFFF;

}  // namespace

std::span<const PickleId> PickleDocument::items(PickleId id) const {
  return sequences_[values_[id].slot];
}

std::span<const PickleDocument::Pair> PickleDocument::pairs(PickleId id) const {
  return dicts_[values_[id].slot];
}

void PickleMachine::fail(const std::string& reason) const {
  throw FormatError("its pickle, byte " + std::to_string(opcode_position_) +
                    ": " + reason);
}

PickleDocument PickleMachine::run() {
  while (true) {
    opcode_position_ = position_;
    const auto opcode = take_number<unsigned char>();
    if (opcode == '.') break;  // STOP
    if (run_number(opcode) || run_text(opcode) || run_collection(opcode) ||
        run_memo(opcode) || run_call(opcode)) {
      continue;
    }
    std::string code = "0x";
    code += "0123456789abcdef"[opcode >> 4];
    code += "0123456789abcdef"[opcode & 15];
    fail("the instruction " + code +
         " has no place in a weight file and is refused; ask for the weights "
         "in safetensors format");
  }
  document_.root_ = pop();
  document_.num_bytes_ = position_;
  return std::move(document_);
}

std::string_view PickleMachine::take(std::uint64_t size) {
  if (size > bytes_.size() - position_) {
    fail("it ends in the middle; the file is truncated or damaged");
  }
  const std::string_view piece = bytes_.substr(position_, size);
  position_ += size;
  return piece;
}

std::string_view PickleMachine::take_line() {
  constexpr std::size_t kMaxLine = 4096;
  const std::size_t length = bytes_.substr(position_, kMaxLine).find('\n');
  if (length == std::string_view::npos) fail("a name does not end");
  const std::string_view line = take(length);
  ++position_;
  return line;
}

PickleId PickleMachine::add(PickleValue value) {
  if (document_.values_.size() == kMaxValues) {
    fail("it holds more than " + std::to_string(kMaxValues) +
         " values, which no state dictionary does");
  }
  document_.values_.push_back(value);
  return static_cast<PickleId>(document_.values_.size() - 1);
}

PickleId PickleMachine::add_container(PickleKind kind,
                                      std::vector<PickleId> items) {
  PickleValue value;
  value.kind = kind;
  if (kind == PickleKind::kDict || kind == PickleKind::kOrderedDict) {
    value.slot = static_cast<std::uint32_t>(document_.dicts_.size());
    document_.dicts_.emplace_back();
  } else {
    value.slot = static_cast<std::uint32_t>(document_.sequences_.size());
    document_.sequences_.push_back(std::move(items));
  }
  return add(value);
}

void PickleMachine::push(PickleId id) {
  if (stack_.size() == kMaxStack) fail("its stack grows without limit");
  stack_.push_back(id);
}

PickleId PickleMachine::pop() {
  const PickleId id = top();
  stack_.pop_back();
  return id;
}

PickleId PickleMachine::top() const {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("it takes a value from an empty stack");
  return stack_.back();
}

std::vector<PickleId> PickleMachine::pop_items(std::size_t count) {
  std::vector<PickleId> items(count);
  for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
  return items;
}

std::vector<PickleId> PickleMachine::pop_to_mark() {
  if (marks_.empty()) fail("it refers to a mark that was not set");
  const auto begin =
      stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleId> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleMachine::push_tuple(std::vector<PickleId> items) {
  std::size_t depth = 0;
  for (const PickleId id : items) {
    depth = std::max<std::size_t>(depth, value(id).depth);
  }
  if (depth + 1 > kMaxNesting) fail("its tuples are nested too deeply");
  const PickleId id = add_container(PickleKind::kTuple, std::move(items));
  value(id).depth = static_cast<std::uint8_t>(depth + 1);
  push(id);
}

bool PickleMachine::run_number(unsigned char opcode) {
  PickleValue value;
  value.kind = PickleKind::kInteger;
  switch (opcode) {
    case 'N':  // NONE
      value.kind = PickleKind::kNone;
      break;
    case 0x88:  // NEWTRUE
    case 0x89:  // NEWFALSE
      value.kind = PickleKind::kBool;
      value.integer = opcode == 0x88 ? 1 : 0;
      break;
    case 'K':  // BININT1
      value.integer = take_number<std::uint8_t>();
      break;
    case 'M':  // BININT2
      value.integer = take_number<std::uint16_t>();
      break;
    case 'J':  // BININT
      value.integer = take_number<std::int32_t>();
      break;
    case 0x8a: {  // LONG1: two's complement
      value.text = take(take_number<std::uint8_t>());
      if (value.text.size() > 8) {
        value.kind = PickleKind::kBigInteger;
        break;
      }
      const bool is_negative =
          !value.text.empty() && (value.text.back() & 0x80) != 0;
      std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
      std::memcpy(&bits, value.text.data(), value.text.size());
      value.integer = static_cast<std::int64_t>(bits);
      break;
    }
    case 'G':  // BINFLOAT
      value.kind = PickleKind::kFloat;
      take(8);
      break;
    default:
      return false;
  }
  push(add(value));
  return true;
}

bool PickleMachine::run_text(unsigned char opcode) {
  PickleValue value;
  value.kind = PickleKind::kText;
  switch (opcode) {
    case 0x8c:  // SHORT_BINUNICODE
    case 'U':   // SHORT_BINSTRING: Python 2's names
      value.text = take(take_number<std::uint8_t>());
      break;
    case 'X':  // BINUNICODE
      value.text = take(take_number<std::uint32_t>());
      break;
    case 0x8d:  // BINUNICODE8
      value.text = take(take_number<std::uint64_t>());
      break;
    case 'C':  // SHORT_BINBYTES
      value.kind = PickleKind::kBytes;
      value.text = take(take_number<std::uint8_t>());
      break;
    case 'B':  // BINBYTES
      value.kind = PickleKind::kBytes;
      value.text = take(take_number<std::uint32_t>());
      break;
    case 0x8e:  // BINBYTES8
      value.kind = PickleKind::kBytes;
      value.text = take(take_number<std::uint64_t>());
      break;
    default:
      return false;
  }
  push(add(value));
  return true;
}

bool PickleMachine::run_collection(unsigned char opcode) {
  switch (opcode) {
    case '(':  // MARK
      if (marks_.size() == kMaxNesting) fail("it is nested too deeply");
      marks_.push_back(stack_.size());
      return true;
    case ')':  // EMPTY_TUPLE
      push_tuple({});
      return true;
    case 't':  // TUPLE
      push_tuple(pop_to_mark());
      return true;
    case 0x85:  // TUPLE1
    case 0x86:  // TUPLE2
    case 0x87:  // TUPLE3
      push_tuple(pop_items(static_cast<std::size_t>(opcode - 0x84)));
      return true;
    case ']':  // EMPTY_LIST
      push(add_container(PickleKind::kList));
      return true;
    case '}':  // EMPTY_DICT
      push(add_container(PickleKind::kDict));
      return true;
    case 0x8f:  // EMPTY_SET
      push(add_container(PickleKind::kSet));
      return true;
    case 'a':  // APPEND
      append(pop_items(1), PickleKind::kList);
      return true;
    case 'e':  // APPENDS
      append(pop_to_mark(), PickleKind::kList);
      return true;
    case 0x90:  // ADDITEMS
      append(pop_to_mark(), PickleKind::kSet);
      return true;
    case 's':  // SETITEM
      set_items(pop_items(2));
      return true;
    case 'u':  // SETITEMS
      set_items(pop_to_mark());
      return true;
    default:
      return false;
  }
}

void PickleMachine::append(const std::vector<PickleId>& items,
                           PickleKind kind) {
  const PickleValue& target = value(top());
  if (target.kind != kind) fail("it appends to something that is no list");
  auto& sequence = document_.sequences_[target.slot];
  sequence.insert(sequence.end(), items.begin(), items.end());
}

void PickleMachine::set_items(const std::vector<PickleId>& keys_and_values) {
  const PickleValue& target = value(top());
  if (target.kind != PickleKind::kDict &&
      target.kind != PickleKind::kOrderedDict) {
    fail("it sets an item of something that is no dictionary");
  }
  if (keys_and_values.size() % 2 != 0) fail("a dictionary key has no value");
  auto& pairs = document_.dicts_[target.slot];
  for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
    pairs.emplace_back(keys_and_values[i], keys_and_values[i + 1]);
  }
}

bool PickleMachine::run_memo(unsigned char opcode) {
  switch (opcode) {
    case 'q':  // BINPUT
      put(take_number<std::uint8_t>());
      return true;
    case 'r':  // LONG_BINPUT
      put(take_number<std::uint32_t>());
      return true;
    case 0x94:  // MEMOIZE
      put(num_memoized_);
      return true;
    case 'h':  // BINGET
      get(take_number<std::uint8_t>());
      return true;
    case 'j':  // LONG_BINGET
      get(take_number<std::uint32_t>());
      return true;
    case 0x80: {  // PROTO
      const auto protocol = take_number<std::uint8_t>();
      if (protocol < 2 || protocol > kMaxProtocol) {
        fail("the pickle protocol " + std::to_string(protocol) +
             " is not supported; 2 to " + std::to_string(kMaxProtocol) +
             " are");
      }
      return true;
    }
    case 0x95:  // FRAME: only says how much follows.
      if (take_number<std::uint64_t>() > bytes_.size() - position_) {
        fail("a frame is longer than the rest of the file");
      }
      return true;
    default:
      return false;
  }
}

void PickleMachine::put(std::size_t index) {
  // Picklers number consecutively, so this many are never needed.
  if (index >= 2 * kMaxValues) fail("a memo index is out of range");
  if (index >= memo_.size()) memo_.resize(index + 1, kUnset);
  if (memo_[index] == kUnset) ++num_memoized_;
  memo_[index] = top();
}

void PickleMachine::get(std::size_t index) {
  if (index >= memo_.size() || memo_[index] == kUnset) {
    fail("it uses memo entry " + std::to_string(index) +
         ", which was never stored");
  }
  push(memo_[index]);
}

PickleDocument read_pickle(std::string_view bytes) {
  return PickleMachine(bytes).run();
}

}  // namespace longformer
