// SPDX-License-Identifier: MIT
#include "vector_portable.h"
#include "window_kernel_table.h"

namespace longformer {

constinit const WindowKernel kPortableWindowKernel =
    KernelFunctions<Portable>::table();

}  // namespace longformer
