// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "longformer/base/quoting.h"

namespace longformer {

/// What is wrong inside a weight file; WeightFile adds the file's name and
/// throws it on as ModelError.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `tensor "name": reason`
[[noreturn]] void fail_tensor(std::string_view name, const std::string& reason);

}  // namespace longformer
