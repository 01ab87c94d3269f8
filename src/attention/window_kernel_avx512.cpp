// SPDX-License-Identifier: MIT
#include "vector_avx512.h"
#include "window_kernel_table.h"

namespace longformer {

constinit const WindowKernel kAvx512WindowKernel =
    KernelFunctions<Avx512>::table();

}  // namespace longformer
