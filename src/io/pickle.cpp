// SPDX-License-Identifier: MIT
#include "pickle.h"

#include <array>
#include <optional>
#include <string>

#include "byte_order.h"
#include "format_error.h"

namespace longformer {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 18;
constexpr std::size_t kMaxStack = std::size_t{1} << 20;
constexpr std::size_t kMaxNesting = 200;
constexpr int kMaxProtocol = 5;
constexpr PickleId kUnset = 0xFFFFFFFF;

struct AllowedGlobal {
  std::string_view module;
  std::string_view name;
  PickleGlobal global;
  DType dtype = DType::kU8;
};

constexpr std::array kAllowedGlobals = {
    AllowedGlobal{"collections", "OrderedDict", PickleGlobal::kOrderedDict},
    AllowedGlobal{"torch._utils", "_rebuild_tensor_v2",
                  PickleGlobal::kRebuildTensor},
    AllowedGlobal{"torch._utils", "_rebuild_parameter",
                  PickleGlobal::kRebuildParameter},
    AllowedGlobal{"torch.nn.parameter", "Parameter", PickleGlobal::kParameter},
    AllowedGlobal{"torch", "Size", PickleGlobal::kSize},
    AllowedGlobal{"torch", "FloatStorage", PickleGlobal::kStorageType,
                  DType::kF32},
    AllowedGlobal{"torch", "HalfStorage", PickleGlobal::kStorageType,
                  DType::kF16},
    AllowedGlobal{"torch", "BFloat16Storage", PickleGlobal::kStorageType,
                  DType::kBF16},
    AllowedGlobal{"torch", "DoubleStorage", PickleGlobal::kStorageType,
                  DType::kF64},
    AllowedGlobal{"torch", "LongStorage", PickleGlobal::kStorageType,
                  DType::kI64},
    AllowedGlobal{"torch", "IntStorage", PickleGlobal::kStorageType,
                  DType::kI32},
    AllowedGlobal{"torch", "ShortStorage", PickleGlobal::kStorageType,
                  DType::kI16},
    AllowedGlobal{"torch", "CharStorage", PickleGlobal::kStorageType,
                  DType::kI8},
    AllowedGlobal{"torch", "ByteStorage", PickleGlobal::kStorageType,
                  DType::kU8},
    AllowedGlobal{"torch", "BoolStorage", PickleGlobal::kStorageType,
                  DType::kBool},
};

}  // namespace

std::span<const PickleId> PickleDocument::items(PickleId id) const {
  return sequences_[values_[id].slot];
}

std::span<const PickleDocument::Pair> PickleDocument::pairs(PickleId id) const {
  return dicts_[values_[id].slot];
}

/// The stack machine that a pickle is a program for, without the instructions
/// that could do anything but build plain values.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : bytes_(bytes) {}

  PickleDocument run();

 private:
  // Each handles one group of opcodes; false: not one of them.
  bool run_number(unsigned char opcode);
  bool run_text(unsigned char opcode);
  bool run_collection(unsigned char opcode);
  bool run_memo(unsigned char opcode);
  bool run_call(unsigned char opcode);

  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError("its pickle, byte " + std::to_string(opcode_position_) +
                      ": " + reason);
  }

  // Reading the program.
  std::string_view take(std::uint64_t size);
  template <class Number>
  Number take_number() {
    return read_little_endian<Number>(take(sizeof(Number)));
  }
  std::string_view take_line();
  std::string_view take_long();

  // The stack.
  PickleId add(PickleValue value);
  PickleId add_container(PickleKind kind, std::vector<PickleId> items = {});
  void push(PickleId id);
  PickleId pop();
  PickleId top() const;
  std::vector<PickleId> pop_items(std::size_t count);
  std::vector<PickleId> pop_to_mark();
  void push_tuple(std::vector<PickleId> items);
  PickleValue& value(PickleId id) { return document_.values_[id]; }

  void append(const std::vector<PickleId>& items, PickleKind kind);
  void set_items(const std::vector<PickleId>& keys_and_values);
  void put(std::size_t index);
  void get(std::size_t index);
  void push_global(std::string_view module, std::string_view name);
  void reduce();
  void make_ordered_dict(const std::vector<PickleId>& arguments);
  void make_parameter(const std::vector<PickleId>& arguments);
  void build();
  void push_storage();

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::size_t opcode_position_ = 0;
  PickleDocument document_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::vector<PickleId> memo_;
  std::size_t num_memoized_ = 0;
};

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

bool PickleMachine::run_call(unsigned char opcode) {
  switch (opcode) {
    case 'c': {  // GLOBAL
      const std::string_view module = take_line();
      push_global(module, take_line());
      return true;
    }
    case 0x93: {  // STACK_GLOBAL
      const auto names = pop_items(2);
      if (value(names[0]).kind != PickleKind::kText ||
          value(names[1]).kind != PickleKind::kText) {
        fail("a global is not named by text");
      }
      push_global(value(names[0]).text, value(names[1]).text);
      return true;
    }
    case 'R':   // REDUCE
    case 0x81:  // NEWOBJ
      reduce();
      return true;
    case 'b':  // BUILD
      build();
      return true;
    case 'Q':  // BINPERSID
      push_storage();
      return true;
    default:
      return false;
  }
}

void PickleMachine::push_global(std::string_view module,
                                std::string_view name) {
  for (const AllowedGlobal& allowed : kAllowedGlobals) {
    if (allowed.module != module || allowed.name != name) continue;
    PickleValue value;
    value.kind = PickleKind::kGlobal;
    value.global = allowed.global;
    value.dtype = allowed.dtype;
    push(add(value));
    return;
  }
  fail("it asks for " +
       in_quotes(std::string(module) + "." + std::string(name)) +
       ", which weights do not need; it is refused and nothing was executed. "
       "If you trust where the file comes from, ask for the weights in "
       "safetensors format");
}

void PickleMachine::reduce() {
  const auto call = pop_items(2);
  const PickleValue& callable = value(call[0]);
  if (callable.kind != PickleKind::kGlobal) {
    fail("it calls something that is no function");
  }
  if (value(call[1]).kind != PickleKind::kTuple) {
    fail("the arguments of a call are no tuple");
  }
  const std::vector<PickleId> arguments =
      document_.sequences_[value(call[1]).slot];
  switch (callable.global) {
    case PickleGlobal::kOrderedDict:
      return make_ordered_dict(arguments);
    case PickleGlobal::kRebuildTensor:
      if (arguments.size() < 6) fail("a tensor has too few arguments");
      return push(add_container(PickleKind::kTensor, arguments));
    case PickleGlobal::kRebuildParameter:
    case PickleGlobal::kParameter:
      return make_parameter(arguments);
    case PickleGlobal::kSize:
      if (arguments.size() != 1 ||
          value(arguments[0]).kind != PickleKind::kTuple) {
        fail("the argument of torch.Size is no tuple");
      }
      return push(arguments[0]);
    case PickleGlobal::kStorageType:
      break;
  }
  fail("it calls a storage type");
}

void PickleMachine::make_ordered_dict(const std::vector<PickleId>& arguments) {
  const PickleId dict = add_container(PickleKind::kOrderedDict);
  push(dict);
  if (arguments.empty()) return;
  // Python 2 gives the items at once: a list of pairs.
  if (arguments.size() != 1 || value(arguments[0]).kind != PickleKind::kList) {
    fail("the arguments of OrderedDict are no list of pairs");
  }
  for (const PickleId pair : document_.items(arguments[0])) {
    const PickleKind kind = value(pair).kind;
    if ((kind != PickleKind::kList && kind != PickleKind::kTuple) ||
        document_.items(pair).size() != 2) {
      fail("the arguments of OrderedDict are no list of pairs");
    }
    const auto items = document_.items(pair);
    document_.dicts_[value(dict).slot].emplace_back(items[0], items[1]);
  }
}

void PickleMachine::make_parameter(const std::vector<PickleId>& arguments) {
  if (arguments.empty() || value(arguments[0]).kind != PickleKind::kTensor) {
    fail("a parameter holds no tensor");
  }
  push(arguments[0]);
}

void PickleMachine::build() {
  // State that is set on an OrderedDict is its attribute "_metadata", which
  // holds versions of modules only.
  const PickleKind state = value(pop()).kind;
  if (value(top()).kind != PickleKind::kOrderedDict ||
      (state != PickleKind::kDict && state != PickleKind::kOrderedDict)) {
    fail("it sets attributes of something that may have none");
  }
}

void PickleMachine::push_storage() {
  const PickleValue id = value(pop());
  const std::vector<PickleId> parts = id.kind == PickleKind::kTuple
                                          ? document_.sequences_[id.slot]
                                          : std::vector<PickleId>{};
  if (parts.size() < 5 || parts.size() > 6 ||
      value(parts[0]).kind != PickleKind::kText ||
      value(parts[0]).text != "storage") {
    fail("a persistent id describes no storage");
  }
  push(add_container(PickleKind::kStorage, parts));
}

PickleDocument read_pickle(std::string_view bytes) {
  return PickleMachine(bytes).run();
}

}  // namespace longformer
