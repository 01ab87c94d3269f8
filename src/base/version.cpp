// SPDX-License-Identifier: MIT
#include "longformer/base/version.h"

#ifndef LONGFORMER_VERSION
#error "the build defines LONGFORMER_VERSION"
#endif

namespace longformer {

std::string_view program_version() { return LONGFORMER_VERSION; }

}  // namespace longformer
