// SPDX-License-Identifier: MIT
#include "longformer/attention/instruction_set.h"

namespace longformer {

const char* instruction_set_name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kAvx2:
      return "AVX2";
    case InstructionSet::kAvx512:
      return "AVX-512";
  }
  return "unknown";
}

bool is_supported(InstructionSet set) {
#if defined(__x86_64__)
  // The compiler's check includes that the system saves the wide registers.
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  switch (set) {
    case InstructionSet::kPortable:
      return true;
    case InstructionSet::kAvx2:
      return avx2;
    case InstructionSet::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return set == InstructionSet::kPortable;
#endif
}

InstructionSet best_instruction_set() {
  static const InstructionSet best = [] {
    for (const InstructionSet set :
         {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
      if (is_supported(set)) return set;
    }
    return InstructionSet::kPortable;
  }();
  return best;
}

}  // namespace longformer
