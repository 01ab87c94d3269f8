// SPDX-License-Identifier: MIT
#include "vector_avx2.h"
#include "window_kernel_table.h"

namespace longformer {

constinit const WindowKernel kAvx2WindowKernel = KernelFunctions<Avx2>::table();

}  // namespace longformer
