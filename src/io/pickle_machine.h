// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byte_order.h"
#include "pickle.h"

namespace longformer {

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

  [[noreturn]] void fail(const std::string& reason) const;

  // Reading the program.
  std::string_view take(std::uint64_t size);
  template <class Number>
  Number take_number() {
    return read_little_endian<Number>(take(sizeof(Number)));
  }
  std::string_view take_line();

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

}  // namespace longformer
