// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Instruction sets that the fused attention kernel is compiled for.
enum class InstructionSet {
  kPortable,  ///< What the compiler assumes of every machine it builds for.
  kAvx2,      ///< x86-64 with AVX2 and FMA.
  kAvx512,    ///< x86-64 with AVX-512 F, BW, DQ and VL.
};

const char* instruction_set_name(InstructionSet set);

/// Whether this program holds code for the set and this processor runs it.
bool is_supported(InstructionSet set);

/// The fastest one that is supported.
InstructionSet best_instruction_set();

}  // namespace longformer
