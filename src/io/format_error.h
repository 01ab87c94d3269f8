// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace longformer {

/// What is wrong inside a weight file; WeightFile adds the file's name and
/// throws it on as ModelError.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text`, which somebody else chose, in quotes for a message of one line:
/// shortened, ill-formed UTF-8 replaced, control characters as \xNN (they could
/// steer a terminal).
std::string in_quotes(std::string_view text);

/// `tensor "name": reason`
[[noreturn]] void fail_tensor(std::string_view name, const std::string& reason);

}  // namespace longformer
