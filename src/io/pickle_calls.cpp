// SPDX-License-Identifier: MIT
//
// The part of the machine that names and calls things: a short list of names,
// each with a harmless meaning of its own. No other name gets past it.
#include <array>

#include "format_error.h"
#include "pickle_machine.h"

namespace longformer {
namespace {

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

}  // namespace longformer
