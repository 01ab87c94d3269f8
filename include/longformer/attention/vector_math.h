// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Makes LibTorch's vectorised functions (exp, log, ...) safe to call from
/// several threads. The first call costs microseconds, later ones a load.
///
/// LibTorch takes them from MKL, which chooses a kernel for the processor at a
/// function's first call. When the first call comes from several threads at
/// once, one of them may run a kernel of low accuracy (relative error 1e-9 in
/// fp64, 1e-3 in fp32; pytorch issue 188792), so that a run in some hundreds
/// starts with other numbers. Every PackedLayout, hence every computation with
/// a model, begins with this call.
void prepare_vector_math();

}  // namespace longformer
