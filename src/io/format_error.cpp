// SPDX-License-Identifier: MIT
#include "format_error.h"

#include "longformer/base/utf8.h"

namespace longformer {

void fail_tensor(std::string_view name, const std::string& reason) {
  throw FormatError("tensor " + in_quotes(name) + ": " + reason);
}

}  // namespace longformer
